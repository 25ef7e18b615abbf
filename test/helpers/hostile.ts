/** Hostile values as JSON texts: what JSON can say and a program might not expect. */

/** n levels of nesting. */
export const deepList = (n: number): string => `${'['.repeat(n)}${']'.repeat(n)}`;
export const deepObject = (n: number): string => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`;

/** One value each; every one is valid JSON. */
export const HOSTILE: Readonly<Record<string, string>> = {
  'a number': '5',
  'a negative number': '-1',
  'a fraction': '1.5',
  'a huge number': '1e308',
  'an endless number': '1e999',
  'more than 32 bits': '2147483648',
  'more than 53 bits': '9007199254740993',
  true: 'true',
  null: 'null',
  'an empty list': '[]',
  'a list of null': '[null]',
  'a list of lists': '[[],[[1]]]',
  'a list of mixed things': '[1,"x",null,{},true]',
  'an empty object': '{}',
  'an object': '{"id":{"name":[]},"name":5}',
  prototypes: '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"toString":1}',
  'a NUL': '"a\\u0000b"',
  'a lone surrogate': '"\\ud800"',
  'a lone surrogate as key': '{"\\udfff":1,"a\\u0000":2}',
  'an empty text': '""',
  spaces: '"  \\t\\n "',
  'a long text': `"${'x'.repeat(3_000)}"`,
  SQL: '"\' OR 1=1; --"',
  patterns: '"%_\\\\*"',
  'a path': '"../../../etc/passwd"',
  markup: '"<script>alert(1)</script>"',
  'odd Unicode': '"\\u202e\\ufeff\\u2028é\\ud83d\\ude00"',
  'a date that is none': '"2020-13-45T99:99:99"',
  'a JSON list as text': '"[1,[2"',
  'deep lists in a text': `"${deepList(10_000)}"`,
  'deep lists': deepList(10_000),
  'deep objects': deepObject(10_000),
};

/** Bodies that are no JSON object, or odd ones; as bytes where they are not even text. */
export const BODIES: Readonly<Record<string, string | Uint8Array>> = {
  nothing: '',
  'half an object': '{',
  'a trailing comma': '{"id":"x",}',
  'single quotes': "{'id':'x'}",
  'a list': '[]',
  null: 'null',
  'a number': '5',
  'a text': '"x"',
  NaN: '{"id":NaN}',
  'a raw NUL': '{"id":"a\0b"}',
  'not UTF-8': new Uint8Array([0x7b, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  'a byte order mark': '\ufeff{"id":"x"}',
  'the same key twice': '{"id":"x","id":{"y":1}}',
  'unknown and odd keys':
    '{"":1,"zzz":{"a":[1]},"__proto__":{"id":"x"},"constructor":1,"hasOwnProperty":1,"a.b":1,"__extras":{"a":1},"toString":null}',
  'keys that cannot be stored': '{"a\\u0000b":1,"\\ud800":2}',
  'deep lists': `{"id":${deepList(10_000)}}`,
  'deep objects': deepObject(10_000),
  'an open nesting': '['.repeat(100_000),
  'many keys': `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":${n}`).join(',')}}`,
};

/** Query strings. */
export const QUERIES: readonly string[] = [
  'id=%00',
  'id=%ff%fe',
  'id=%',
  'id=%ed%a0%80',
  'id=a&id=b',
  'id[]=x&id[a]=y',
  'id=%7B%22a%22%3A1%7D',
  'id=%5B%5B%5B',
  '=',
  '&&&',
  '__proto__=x&constructor=y',
  'callback=alert(1)',
  'callback=',
  'callback=a&callback=b',
  `id=${'x'.repeat(8_000)}`,
  `id=${'%5B'.repeat(2_000)}${'%5D'.repeat(2_000)}`,
  'limit=1e9',
  'limit=-1',
  'limit=99999999999999999999',
  'offset=abc&limit=%20',
  'limit=1000000&offset=2147483648',
  'limit=9007199254740991&offset=9007199254740991',
];
