"""AutoGen's executor for pods: a request a line on stdin, an answer a line on stdout, both JSON."""

import json
import signal
import sys
import time
from importlib.metadata import version

from autogen.coding import CodeBlock
from autogen.coding.kubernetes import PodCommandLineCodeExecutor
from kubernetes import client

# Ctrl-C ends the bench; the end of stdin then ends this, with its pod.
signal.signal(signal.SIGINT, signal.SIG_IGN)

container = "code"


def pod_of(place):
    """As its own, but for a pull policy that takes an image of the node."""
    code = client.V1Container(
        name=container, image=place["image"], image_pull_policy="IfNotPresent", command=["sleep", "3600"]
    )
    return client.V1Pod(
        metadata=client.V1ObjectMeta(name="autogen", namespace=place["namespace"]),
        spec=client.V1PodSpec(restart_policy="Never", containers=[code]),
    )


def answer(fields):
    print(json.dumps(fields), flush=True)


place = json.loads(sys.stdin.readline())
with PodCommandLineCodeExecutor(pod_spec=pod_of(place), container_name=container) as executor:
    answer({"version": version("autogen-agentchat")})
    for line in sys.stdin:
        request = json.loads(line)
        started_at = time.perf_counter()
        results = [
            executor.execute_code_blocks([CodeBlock(language="python", code=request["code"])])
            for _ in range(request["times"])
        ]
        took = (time.perf_counter() - started_at) * 1000
        blocks = [{"exitCode": result.exit_code, "output": result.output} for result in results]
        answer({"tookMs": took, "blocks": blocks})
