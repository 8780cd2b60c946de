"""What becomes of a message that could not be acknowledged because Redis did not answer in time.

Kombu takes such a message for one that is still being worked on, and goes on with the connection. A worker that is given
so many messages at a time as it has processes is given none any more once that has happened so often: it runs, answers
its health check and does nothing. The message stays in Redis and comes again; every task may run twice.
"""

from kombu.transport import redis, virtual


class FreeingQoS(redis.QoS):
    """Counts a message as done with, whether Redis has heard of it or not."""

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message. Raises what Redis raises."""
        try:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]
        except BaseException:
            virtual.QoS.ack(self, delivery_tag)  # type: ignore[no-untyped-call]
            raise


def install() -> None:
    """Let every connection to Redis count so."""
    redis.Channel.QoS = FreeingQoS
