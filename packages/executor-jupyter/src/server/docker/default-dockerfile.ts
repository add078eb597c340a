/**
 * The recipe of the image that `DockerJupyterServer` uses when no other is given. An image of your own needs a
 * `python3` with jupyter-server (or jupyter-kernel-gateway) and a kernel; ports, tokens and a command of its own do
 * not matter.
 */
export const defaultDockerfile = `ARG BASE=python:3-slim
FROM \${BASE}
RUN python3 -m pip install --no-cache-dir --disable-pip-version-check --root-user-action=ignore \\
    jupyter-server==2.21.1 ipykernel==7.4.0 matplotlib==3.11.2 pandas==3.1.1
`
