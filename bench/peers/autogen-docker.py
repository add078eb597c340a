"""AutoGen's Docker executor for the bench: a request a line on stdin, an answer a line on stdout, both JSON."""

import asyncio
import json
import resource
import signal
import sys
import time

import docker
from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock
from autogen_ext.code_executors.docker import DockerCommandLineCodeExecutor

image, work_dir = sys.argv[1:]
# Ctrl-C ends the bench; the end of stdin then ends this, with its container.
signal.signal(signal.SIGINT, signal.SIG_IGN)


def most_memory():
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size if sys.platform == "darwin" else size * 1024


async def start():
    executor = DockerCommandLineCodeExecutor(image=image, work_dir=work_dir)
    await executor.start()
    return executor


async def run(executor, request):
    block = CodeBlock(language=request["language"], code=request["code"])
    return await executor.execute_code_blocks([block], CancellationToken())


async def stop(executor):
    # Its own stop waits ten seconds for a shell that ignores SIGTERM.
    container = docker.from_env().containers.get(executor.container_name)
    container.kill()
    try:
        container.wait(condition="removed")
    except docker.errors.APIError:
        pass
    await executor.stop()


async def main():
    executor = None
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        answer = {"exitCode": 0, "length": 0}
        memory_before = most_memory()
        started_at = time.perf_counter()
        if request["do"] == "start":
            executor = await start()
        elif request["do"] == "run":
            result = await run(executor, request)
            answer = {"exitCode": result.exit_code, "length": len(result.output)}
        else:
            await stop(executor)
            executor = None
        answer["tookMs"] = (time.perf_counter() - started_at) * 1000
        answer["grewBy"] = most_memory() - memory_before
        print(json.dumps(answer), flush=True)
    if executor is not None:
        await stop(executor)


asyncio.run(main())
