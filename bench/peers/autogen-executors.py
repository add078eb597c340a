"""AutoGen's command line executors for the bench: a request a line on stdin, an answer a line on stdout, both JSON."""

import asyncio
import json
import os
import signal
import sys
import time
import warnings
from importlib.metadata import version
from types import SimpleNamespace

import docker
from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock
from autogen_ext.code_executors.docker import DockerCommandLineCodeExecutor
from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor

# Ctrl-C ends the bench; the end of stdin then ends this, with its containers.
signal.signal(signal.SIGINT, signal.SIG_IGN)
# It says each time that a local process is not isolated.
warnings.simplefilter("ignore")


def executor_of(place):
    if "image" in place:
        return DockerCommandLineCodeExecutor(image=place["image"])
    python = place["python"]
    environment = SimpleNamespace(env_exe=python, bin_path=os.path.dirname(python))
    return LocalCommandLineCodeExecutor(virtual_env_context=environment)


async def run(executor, request):
    results = []
    for _ in range(request["times"]):
        codes = request.get("codes") or [request["code"]]
        blocks = [CodeBlock(language="python", code=code) for code in codes]
        results.append(await executor.execute_code_blocks(blocks, CancellationToken()))
    return results


async def stop(executor):
    if isinstance(executor, DockerCommandLineCodeExecutor):
        # Its own stop waits ten seconds for a shell that ignores SIGTERM.
        container = docker.from_env().containers.get(executor.container_name)
        container.kill()
        try:
            container.wait(condition="removed")
        except docker.errors.APIError:
            pass
    await executor.stop()


def answer(fields):
    print(json.dumps(fields), flush=True)


async def main():
    place = json.loads(sys.stdin.readline())
    executors = [executor_of(place) for _ in range(place["executors"])]
    for executor in executors:
        await executor.start()
    answer({"version": version("autogen-ext")})
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        fresh = []
        started_at = time.perf_counter()
        if request.get("fresh"):
            fresh = [executor_of(place)]
            await fresh[0].start()
        results = await asyncio.gather(*(run(executor, request) for executor in fresh or executors))
        took = (time.perf_counter() - started_at) * 1000
        for executor in fresh:
            await stop(executor)
        blocks = [{"exitCode": block.exit_code, "output": block.output} for each in results for block in each]
        answer({"tookMs": took, "blocks": blocks})
    for executor in executors:
        await stop(executor)


asyncio.run(main())
