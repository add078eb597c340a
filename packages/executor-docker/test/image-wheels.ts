/** Makes a package of one module, `tiny` or `tiny_too`, as pip would download it. */
export const makeWheels = `
import os, zipfile
os.mkdir('/wheels')
for name in ['tiny', 'tiny_too']:
    with zipfile.ZipFile(f'/wheels/{name}-1.0-py3-none-any.whl', 'w') as wheel:
        info = f'{name}-1.0.dist-info'
        wheel.writestr(f'{name}.py', 'value = 42')
        wheel.writestr(f'{info}/METADATA', f'Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n')
        wheel.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
        wheel.writestr(f'{info}/RECORD', '')
`

/** An image with the packages as an index of its own. */
export const imageDockerfile = `
FROM fenced-test/python
COPY wheels.py /
RUN python3 /wheels.py
`
