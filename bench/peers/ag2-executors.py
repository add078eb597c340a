"""AG2's command line executors for the bench: a request a line on stdin, an answer a line on stdout, both JSON."""

import json
import os
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from types import SimpleNamespace

import docker
from autogen.coding import CodeBlock, DockerCommandLineCodeExecutor, LocalCommandLineCodeExecutor

# Ctrl-C ends the bench; the end of stdin then ends this, with its containers.
signal.signal(signal.SIGINT, signal.SIG_IGN)


def executor_of(place, work_dir):
    if "image" in place:
        return DockerCommandLineCodeExecutor(image=place["image"], work_dir=work_dir)
    python = place["python"]
    environment = SimpleNamespace(env_exe=python, bin_path=os.path.dirname(python))
    return LocalCommandLineCodeExecutor(virtual_env_context=environment, work_dir=work_dir)


def run(executor, request):
    results = []
    for _ in range(request["times"]):
        codes = request.get("codes") or [request["code"]]
        blocks = [CodeBlock(language="python", code=code) for code in codes]
        results.append(executor.execute_code_blocks(blocks))
    return results


def stop(executor):
    if isinstance(executor, DockerCommandLineCodeExecutor):
        # Its own stop waits ten seconds for a shell that ignores SIGTERM.
        executor._container.kill()
        try:
            executor._container.wait(condition="removed")
        except docker.errors.APIError:
            pass
        executor.stop()


def answer(fields):
    print(json.dumps(fields), flush=True)


place = json.loads(sys.stdin.readline())
with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(place["executors"]) as threads:
    # A single executor needs no thread.
    run_all = map if place["executors"] == 1 else threads.map
    executors = [
        executor_of(place, os.path.join(folder, str(index))) for index in range(place["executors"])
    ]
    answer({"version": version("ag2")})
    for line in sys.stdin:
        request = json.loads(line)
        fresh = []
        started_at = time.perf_counter()
        if request.get("fresh"):
            fresh = [executor_of(place, os.path.join(folder, "fresh"))]
        results = list(run_all(lambda executor: run(executor, request), fresh or executors))
        took = (time.perf_counter() - started_at) * 1000
        for executor in fresh:
            stop(executor)
        blocks = [{"exitCode": block.exit_code, "output": block.output} for each in results for block in each]
        answer({"tookMs": took, "blocks": blocks})
    for executor in executors:
        stop(executor)
