// Values of HIP as YAML and back.
//
// The parser is that of the package `yaml` (Debian: node-yaml), of which only the syntax tree is
// used: it tells tags, anchors and quotes, and what they mean in HIP is told here.
//
// In JavaScript                            on the wire
// null, true, false, strings               none, booleans, text
// a number without a fraction; BigInt      integer
// a number with one; Float                 float (JavaScript cannot tell 1.0 from 1)
// Uint8Array                               bytes
// Moment, its text (a Date has no microseconds)   moment
// Array                                    list
// object without a prototype               mapping whose keys are text
// Map                                      mapping with other keys

import { createRequire } from "node:module";

// Debian keeps its packages where only Debian's own Node.js looks.
const require = createRequire(import.meta.url);
const { Composer, Parser, isAlias, isMap, isScalar, isSeq } = load("yaml");

function load(name) {
  try {
    return require(name);
  } catch {
    return require(`/usr/share/nodejs/${name}`);
  }
}

const DEPTH = 100;
const DIGITS = 1234; // of 2 ** 4096
const TAG = "tag:yaml.org,2002:";
const INTEGER = /^[-+]?(0|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?$/;
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[-+]\d\d:\d\d)$/;

/** A float that has no fraction. */
export class Float extends Number {}

export class Moment {
  constructor(text) {
    this.text = text;
  }
}

const WORDS = new Map([
  ...["", "~", "null", "Null", "NULL"].map((text) => [text, null]),
  ...["true", "True", "TRUE"].map((text) => [text, true]),
  ...["false", "False", "FALSE"].map((text) => [text, false]),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((text) => [text, Infinity]),
  ...["-.inf", "-.Inf", "-.INF"].map((text) => [text, -Infinity]),
  ...[".nan", ".NaN", ".NAN"].map((text) => [text, NaN]),
]);

// Writing

/** The text of a value. */
export function toYaml(value, depth = 0) {
  if (value === null) return "null";
  switch (typeof value) {
    case "string": return quoted(value);
    case "boolean": return String(value);
    case "bigint": return String(value);
    case "number": return Number.isSafeInteger(value) && !Object.is(value, -0)
      ? String(value) : floatText(value);
    case "object": return objectText(value, depth);
    default: throw new TypeError(`a ${typeof value} has no form on the wire`);
  }
}

function objectText(value, depth) {
  if (value instanceof Float) return floatText(Number(value));
  if (value instanceof Moment) return `!!timestamp "${value.text}"`;
  if (value instanceof Uint8Array) return `!!binary "${Buffer.from(value).toString("base64")}"`;
  if (depth >= DEPTH) throw new TypeError(`nested more than ${DEPTH} deep`);
  const text = (part) => toYaml(part, depth + 1);
  if (Array.isArray(value)) return `[${value.map(text).join(", ")}]`;
  const pairs = value instanceof Map ? [...value] : Object.entries(value);
  return `{${pairs.map(([key, part]) => pairText(text(key), text(part))).join(", ")}}`;
}

// YAML looks for the colon of a key no further than 1,024 characters, unless told that it is one.
function pairText(key, value) {
  return key.length > 1000 ? `? ${key} : ${value}` : `${key}: ${value}`;
}

// Everything that is not plain in YAML 1.1 is escaped. JSON's escapes are YAML's, but for pairs of
// surrogates, which JSON.stringify leaves as the character that they are.
function quoted(text) {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function floatText(value) {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.includes(".") ? text : text.replace(/(?=e|$)/, ".0"); // YAML 1.1 wants the point
}

// Reading

/** The value of bytes; throws an Error of one line when they are none that HIP knows. */
export function fromYaml(bytes) {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const composer = new Composer({ keepSourceTokens: false, uniqueKeys: false });
  const documents = [...composer.compose(new Parser().parse(text), true, text.length)];
  if (documents.length !== 1) throw new Error("it is not one document");
  const [document] = documents;
  if (document.errors.length) throw new Error(document.errors[0].message.split("\n")[0]);
  if (document.contents === null || !document.range) throw new Error("it is empty");
  return valueOf(document.contents, 0);
}

function valueOf(node, depth) {
  if (node === null) return null;
  if (isAlias(node) || node.anchor) throw new Error("anchors and aliases are not accepted");
  if (isScalar(node)) return scalarValue(node);
  if (depth >= DEPTH) throw new Error(`nested more than ${DEPTH} deep`);
  if (isSeq(node)) {
    expect(node.tag, "seq");
    return node.items.map((item) => valueOf(item, depth + 1));
  }
  if (!isMap(node)) throw new Error("a pair outside a mapping");
  expect(node.tag, "map");
  return mappingOf(node.items, depth + 1);
}

function mappingOf(items, depth) {
  const seen = new Set();
  const pairs = items.map(({ key, value }) => {
    const pair = [valueOf(key, depth), valueOf(value, depth)];
    const written = toYaml(pair[0]);
    if (seen.has(written)) throw new Error(`the key ${written.slice(0, 40)} is there twice`);
    seen.add(written);
    return pair;
  });
  if (!pairs.every(([key]) => typeof key === "string")) return new Map(pairs);
  const mapping = Object.create(null);
  for (const [key, value] of pairs) mapping[key] = value;
  return mapping;
}

function expect(tag, kind) {
  if (tag && tag !== "!" && tag !== TAG + kind) throw new Error(`the tag ${tag} is not accepted`);
}

const READERS = {
  str: (text) => text,
  int: integer,
  float: (text) => (FLOAT.test(text) ? float(text) : word(text, "number")),
  bool: (text) => word(text, "boolean"),
  null: (text) => word(text, "null"),
  binary: (text) => {
    const plain = text.replace(/\s+/g, "");
    if (!BASE64.test(plain)) throw new Error("no base 64");
    return Buffer.from(plain, "base64");
  },
  timestamp: (text) => {
    if (!MOMENT.test(text)) throw new Error("no moment");
    return new Moment(text);
  },
};

/** What a scalar means, by its tag, or by its looks when it has no quotes either. */
function scalarValue(node) {
  const text = node.source ?? "";
  if (node.tag === "!") return text;
  if (node.tag) {
    const read = node.tag.startsWith(TAG) && READERS[node.tag.slice(TAG.length)];
    if (!read) throw new Error(`the tag ${node.tag.slice(0, 60)} is not accepted`);
    return read(text);
  }
  if (node.type !== "PLAIN") return text;
  if (WORDS.has(text)) return WORDS.get(text);
  if (INTEGER.test(text)) return integer(text);
  return FLOAT.test(text) ? float(text) : text;
}

function word(text, kind) {
  if (!WORDS.has(text)) throw new Error(`no ${kind}`);
  return WORDS.get(text);
}

function integer(text) {
  if (!INTEGER.test(text) || text.length > DIGITS) throw new Error("no integer");
  const number = Number(text);
  return Number.isSafeInteger(number) ? number + 0 : BigInt(text.replace("+", ""));
}

function float(text) {
  const number = Number(text);
  return Number.isInteger(number) ? new Float(number) : number;
}
