/** A source package for pip whose build runs the program `attack.py` of the image. */
export const hostilePackage = `
import io, os, tarfile
os.makedirs('/wheels', exist_ok=True)
backend = '''
import runpy, zipfile
runpy.run_path('/attack.py')
def build_wheel(folder, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(folder + '/hostile-1.0-py3-none-any.whl', 'w') as wheel:
        wheel.writestr('hostile-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\\\nName: hostile\\\\nVersion: 1.0\\\\n')
        wheel.writestr('hostile-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\\\nRoot-Is-Purelib: true\\\\nTag: py3-none-any\\\\n')
        wheel.writestr('hostile-1.0.dist-info/RECORD', '')
    return 'hostile-1.0-py3-none-any.whl'
'''
with tarfile.open('/wheels/hostile-1.0.tar.gz', 'w:gz') as source:
    for name, text in {
        'pyproject.toml': '[build-system]\\nrequires = []\\nbuild-backend = "backend"\\nbackend-path = ["."]\\n',
        'backend.py': backend,
        'PKG-INFO': 'Metadata-Version: 2.1\\nName: hostile\\nVersion: 1.0\\n',
    }.items():
        entry = tarfile.TarInfo('hostile-1.0/' + name)
        entry.size = len(text)
        source.addfile(entry, io.BytesIO(text.encode()))
`

/** An image with the package as an index of its own. Its library of Python belongs to another user than root. */
export const hostileImage = `
FROM fenced-test/python
COPY package.py attack.py /
RUN python3 /package.py && touch /facts && chown -R 1234:1234 /facts /usr/local/lib && chmod 600 /facts
`
