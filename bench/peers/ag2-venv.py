"""AG2's virtual environment for the bench: a request a line on stdin, an answer a line on stdout, both JSON."""

import asyncio
import json
import os
import signal
import sys
import tempfile
import time

from autogen.environments import VenvPythonEnvironment

signal.signal(signal.SIGINT, signal.SIG_IGN)


async def main():
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        with tempfile.TemporaryDirectory() as folder:
            output = ""
            started_at = time.perf_counter()
            environment = VenvPythonEnvironment(venv_path=request["path"])
            if request["do"] == "run":
                result = await environment.execute_code(request["code"], os.path.join(folder, "script.py"))
                output = result["stdout"]
            took = (time.perf_counter() - started_at) * 1000
        print(json.dumps({"output": output, "tookMs": took}), flush=True)


asyncio.run(main())
