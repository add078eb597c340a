/**
 * Packages whose name differs from the module that they bring, by module. A dotted name is a module in a
 * namespace that many packages share.
 */
const names: ReadonlyMap<string, string> = new Map(
  Object.entries({
    attr: 'attrs',
    Bio: 'biopython',
    bs4: 'beautifulsoup4',
    cairo: 'pycairo',
    Crypto: 'pycryptodome',
    cv2: 'opencv-python',
    dateutil: 'python-dateutil',
    discord: 'discord.py',
    distutils: 'setuptools',
    dns: 'dnspython',
    docx: 'python-docx',
    dotenv: 'python-dotenv',
    faiss: 'faiss-cpu',
    fitz: 'PyMuPDF',
    git: 'GitPython',
    github: 'PyGithub',
    gi: 'PyGObject',
    'google.auth': 'google-auth',
    'google.cloud.bigquery': 'google-cloud-bigquery',
    'google.cloud.storage': 'google-cloud-storage',
    'google.generativeai': 'google-generativeai',
    'google.genai': 'google-genai',
    'google.protobuf': 'protobuf',
    googleapiclient: 'google-api-python-client',
    jose: 'python-jose',
    jwt: 'PyJWT',
    kafka: 'kafka-python',
    ldap: 'python-ldap',
    magic: 'python-magic',
    mpl_toolkits: 'matplotlib',
    MySQLdb: 'mysqlclient',
    nacl: 'PyNaCl',
    OpenGL: 'PyOpenGL',
    OpenSSL: 'pyOpenSSL',
    osgeo: 'GDAL',
    PIL: 'pillow',
    pkg_resources: 'setuptools',
    playhouse: 'peewee',
    pptx: 'python-pptx',
    psycopg2: 'psycopg2-binary',
    pylab: 'matplotlib',
    pythoncom: 'pywin32',
    pywintypes: 'pywin32',
    rest_framework: 'djangorestframework',
    ruamel: 'ruamel.yaml',
    'ruamel.yaml': 'ruamel.yaml',
    serial: 'pyserial',
    shapefile: 'pyshp',
    skimage: 'scikit-image',
    sklearn: 'scikit-learn',
    slugify: 'python-slugify',
    socks: 'PySocks',
    speech_recognition: 'SpeechRecognition',
    telegram: 'python-telegram-bot',
    tlz: 'toolz',
    umap: 'umap-learn',
    usb: 'pyusb',
    websocket: 'websocket-client',
    win32api: 'pywin32',
    win32com: 'pywin32',
    win32con: 'pywin32',
    wx: 'wxPython',
    yaml: 'PyYAML',
    zmq: 'pyzmq',
  }),
)

/** Modules that belong to Python itself and are left out of some builds, or of newer versions. */
const ofPythonItself: ReadonlySet<string> = new Set(
  '_bz2 _ctypes _curses _dbm _gdbm _lzma _sqlite3 _ssl _tkinter _uuid aifc asynchat asyncore audioop cgi cgitb chunk crypt curses dbm ensurepip idlelib imghdr imp lib2to3 lzma mailcap msilib nis nntplib ossaudiodev pip pipes readline sndhdr smtpd spwd sqlite3 ssl sunau telnetlib tkinter turtle uu venv winreg winsound xdrlib'.split(
    ' ',
  ),
)

/** Namespaces that many packages share. No package has one of these names. */
const namespaces: ReadonlySet<string> = new Set([
  'azure',
  'backports',
  'google',
  'jaraco',
  'sphinxcontrib',
  'zope',
])

/** The package that brings a module. */
export interface Distribution {
  readonly name: string
  /** `false` when it is only supposed to be called as its module is. */
  readonly isKnown: boolean
}

/** `undefined` for a module that no package brings, or that one does whose name is not known. */
export function distributionOf(module: string): Distribution | undefined {
  const parts = module.split('.')
  const [first = module] = parts
  if (ofPythonItself.has(first)) return undefined
  for (let length = parts.length; length > 0; length--) {
    const known = names.get(parts.slice(0, length).join('.'))
    if (known !== undefined) return { name: known, isKnown: true }
  }
  return namespaces.has(first) ? undefined : { name: first, isKnown: false }
}
