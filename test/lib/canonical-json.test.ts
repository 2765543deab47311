// Canonical JSON, the form that callers sign.
import { expect, test } from 'vitest'
import { canonicalJson } from '../../src/lib/canonical-json.ts'

test.each([
  ['the keys of an object', '{"b":1,"a":2}', '{"a":2,"b":1}'],
  [
    'the keys of objects in objects and lists',
    '{"z":[{"d":1,"c":[]}],"y":{"b":{},"a":null}}',
    '{"y":{"a":null,"b":{}},"z":[{"c":[],"d":1}]}',
  ],
  [
    'keys by their code units, not by language or number',
    '{"é":1,"z":2,"Z":3,"10":4,"9":5,"😀":6,"ﬀ":7}',
    '{"10":4,"9":5,"Z":3,"z":2,"é":1,"😀":6,"ﬀ":7}',
  ],
  ['no items of a list', '["b", "a", [2, 1]]', '["b","a",[2,1]]'],
  ['no space, and escapes in one way', '{ "a" : "\\u00e9\\u2028\\/\\u0001\\t\\"" }', '{"a":"é\u2028/\\u0001\\t\\""}'],
  ['numbers in one way', '[1.0, 1e2, 1E-7, -0, 12345678901234567890, 0.1]', '[1,100,1e-7,0,12345678901234567000,0.1]'],
  ['constants as they are', '[true,false,null,""]', '[true,false,null,""]'],
])('canonical JSON sorts or formats %s', (_what, json, canonical) => {
  expect(canonicalJson(JSON.parse(json))).toBe(canonical)
})
