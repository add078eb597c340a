"""AG2's conversations for the bench: a request a line on stdin, an answer a line on stdout, both JSON."""

import json
import os
import signal
import sys
import time

# What it says about the end of a conversation is not an answer.
answers = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

from autogen import ConversableAgent
from autogen.coding import CodeResult, MarkdownCodeExtractor

signal.signal(signal.SIGINT, signal.SIG_IGN)


class CannedExecutor:
    code_extractor = MarkdownCodeExtractor()

    def execute_code_blocks(self, code_blocks):
        assert len(code_blocks) == 1
        return CodeResult(exit_code=0, output="129\n")

    def restart(self):
        pass


def canned_agent(name, request, code_execution_config):
    agent = ConversableAgent(
        name,
        llm_config=False,
        human_input_mode="NEVER",
        code_execution_config=code_execution_config,
        max_consecutive_auto_reply=request["messages"],
    )
    agent.replace_reply_func(ConversableAgent.generate_oai_reply, lambda *_, **__: (True, request["text"]))
    return agent


def converse(sender, recipient, request):
    result = sender.initiate_chat(
        recipient, message="What is it?", max_turns=request["messages"] // 2, silent=True
    )
    return len(result.chat_history)


for line in sys.stdin:
    request = json.loads(line)
    sender = canned_agent("sender", request, {"executor": CannedExecutor()})
    recipient = canned_agent("recipient", request, False)
    started_at = time.perf_counter()
    count = 0
    for _ in range(request["chats"]):
        count += converse(sender, recipient, request)
    took = (time.perf_counter() - started_at) * 1000
    print(json.dumps({"tookMs": took, "count": count}), file=answers, flush=True)
