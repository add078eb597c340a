"""AutoGen's conversations for the bench: a request a line on stdin, an answer a line on stdout, both JSON."""

import asyncio
import json
import signal
import sys
import time

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat

signal.signal(signal.SIGINT, signal.SIG_IGN)


class CannedAgent(BaseChatAgent):
    def __init__(self, name, text):
        super().__init__(name, "Always says the same.")
        self.text = text

    @property
    def produced_message_types(self):
        return (TextMessage,)

    async def on_messages(self, messages, cancellation_token):
        return Response(chat_message=TextMessage(content=self.text, source=self.name))

    async def on_reset(self, cancellation_token):
        pass


async def main():
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        team = RoundRobinGroupChat(
            [CannedAgent("sender", request["text"]), CannedAgent("recipient", request["text"])],
            termination_condition=MaxMessageTermination(request["messages"]),
        )
        took = 0
        count = 0
        for _ in range(request["chats"]):
            if count > 0:
                await team.reset()
            started_at = time.perf_counter()
            result = await team.run(task="What is it?")
            took += (time.perf_counter() - started_at) * 1000
            count += len(result.messages)
        print(json.dumps({"tookMs": took, "count": count}), flush=True)


asyncio.run(main())
