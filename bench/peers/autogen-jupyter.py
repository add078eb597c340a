"""AutoGen's Jupyter executor for the bench: a request a line on stdin, an answer a line on stdout, both JSON."""

import asyncio
import json
import os
import signal
import sys
import time

# Output of the kernel's machinery is not an answer.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock
from autogen_ext.code_executors.jupyter import JupyterCodeExecutor

signal.signal(signal.SIGINT, signal.SIG_IGN)


async def main():
    executor = None
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        exit_code = 0
        started_at = time.perf_counter()
        if request["do"] == "start":
            executor = JupyterCodeExecutor(timeout=600)
            await executor.start()
        elif request["do"] == "run":
            block = CodeBlock(language="python", code=request["code"])
            result = await executor.execute_code_blocks([block], CancellationToken())
            exit_code = result.exit_code
        else:
            await executor.stop()
            executor = None
        took = (time.perf_counter() - started_at) * 1000
        print(json.dumps({"exitCode": exit_code, "tookMs": took}), file=answers, flush=True)
    if executor is not None:
        await executor.stop()


asyncio.run(main())
