"""gRPC's asyncio interface: unary calls over one channel, with Protocol Buffers."""

import asyncio
import signal
import time
from typing import Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from measuring import (
    SERVE,
    VALUE,
    Job,
    Server,
    Window,
    announce,
    check,
    find_server,
    percentiles,
    report,
    take_job,
)


def message_class() -> Any:
    """Return the class of `VALUE` as a message, as if generated from a .proto file."""
    field = descriptor_pb2.FieldDescriptorProto
    types = {str: field.TYPE_STRING, int: field.TYPE_INT64}
    file = descriptor_pb2.FileDescriptorProto(name="echo.proto", syntax="proto3")
    message = file.message_type.add(name="Value")
    for number, (name, value) in enumerate(VALUE.items(), 1):
        label = field.LABEL_OPTIONAL
        message.field.add(name=name, number=number, type=types[type(value)], label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("Value"))


VALUE_MESSAGE = message_class()
CODEC = {
    "request_serializer": VALUE_MESSAGE.SerializeToString,
    "response_deserializer": VALUE_MESSAGE.FromString,
}


async def main() -> None:
    """Do the job of this process."""
    job = take_job()
    if job.task == SERVE:
        await serve()
        return
    server = find_server()
    measure = throughput if job.task == "throughput" else latency
    async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        echo = channel.unary_unary("/Benchmark/Echo", **CODEC)
        check(as_dictionary(await echo(VALUE_MESSAGE(**VALUE))))
        report(await measure(echo, job, server))


def as_dictionary(message: Any) -> dict[str, Any]:
    """Return what a message holds."""
    return {name: getattr(message, name) for name in VALUE}


async def serve() -> None:
    """Answer whoever asks."""

    async def echo(request: Any, _: Any) -> Any:
        return VALUE_MESSAGE(url=request.url, depth=request.depth, status=request.status)

    handler = grpc.unary_unary_rpc_method_handler(
        echo, VALUE_MESSAGE.FromString, VALUE_MESSAGE.SerializeToString
    )
    server = grpc.aio.server()
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler("Benchmark", {"Echo": handler})]
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    announce(port)
    await ended.wait()
    await server.stop(None)


async def throughput(echo: Any, job: Job, server: Server) -> dict[str, float]:
    """Measure calls over one channel."""
    window = Window(server)

    async def again_and_again() -> None:
        while not window.closed:
            await echo(VALUE_MESSAGE(**VALUE))
            window.calls += 1

    loops = [asyncio.create_task(again_and_again()) for _ in range(job.in_flight)]
    await asyncio.sleep(job.warm_up)
    window.open()
    await asyncio.sleep(job.seconds)
    result = window.close()
    await asyncio.gather(*loops)
    return result


async def latency(echo: Any, job: Job, server: Server) -> dict[str, float]:
    """Measure calls that are made one after the other."""
    window = Window(server)

    async def for_a_while(seconds: float) -> list[float]:
        latencies: list[float] = []
        end = time.perf_counter() + seconds
        while (begun := time.perf_counter()) < end:
            await echo(VALUE_MESSAGE(**VALUE))
            latencies.append(time.perf_counter() - begun)
        window.calls += len(latencies)
        return latencies

    await for_a_while(job.warm_up)
    window.open()
    latencies = await for_a_while(job.seconds)
    return {**window.close(), **percentiles(latencies)}


if __name__ == "__main__":
    asyncio.run(main())
