"""The two serializers: MessagePack between agents of one language, YAML for any other.

Both carry None, booleans, integers of up to 4,096 bits, floats, text, bytes, moments (datetimes
with a zone), lists and dictionaries, and give them back alike. Attrs values go as dictionaries;
calendar dates as text, `2026-11-21`, which a parameter of type `date` takes.
"""

from hip.codecs.codec import Codec
from hip.codecs.messagepack import MessagePackCodec
from hip.codecs.yaml import YamlCodec

MESSAGEPACK = MessagePackCodec()
YAML = YamlCodec()
CODECS: dict[str, Codec] = {codec.name: codec for codec in (MESSAGEPACK, YAML)}

__all__ = ["CODECS", "MESSAGEPACK", "YAML", "Codec", "MessagePackCodec", "YamlCodec"]
