// Reproducible random choices and hostile values, for tests that send random requests.

/** Choices that only depend on the seed. */
export interface Chance {
  /** A whole number below `limit`. */
  below(limit: number): number
  /** True once in `times`. */
  once(times: number): boolean
  pick<Item>(items: readonly Item[]): Item
}

/** Mulberry32. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    once: (times) => below(times) === 0,
    pick(items) {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}

/** Texts that callers should not send and that must not cause faults. */
const hostileTexts: readonly string[] = [
  ...['', ' ', '\0', 'a\0b', '\ud800', 'a\udc00', '\u202e', '\ufeff', '\u2028', '\r\n', 'İ', 'ﬁ', '💥', 'e\u0301'],
  ...['%00', '%', '%ff', '..', '../..', '/', '\\', "'", '"', '`', '$1', '{{', '{% if', '{{ a | b: }}', '${a}', '<b>'],
  ...["' OR 1=1 --", '(?=a)', '(', '[', '^(a+)+$', '__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN'],
  ...['-1', '1e999', '0x10', '9007199254740993', '2030-01-01T00:00:00Z', '0000-00-00', '275760-09-13T00:00:00.001Z'],
  ...['+275760-09-13', '-000001-01-01T00:00:00Z', '2024-02-30', 'http://', 'http://[::1', 'https://a:b@c', 'mailto:a'],
  ...['a@b', 'a@b.co', '+49', '+4915112345678', 'x'.repeat(256), '💥'.repeat(300), 'x'.repeat(20_000), ','.repeat(500)],
  ...[
    ':',
    'a:',
    ':b',
    'a:b:c',
    'tenant:acme',
    'de_DE',
    'xx-XX-xx',
    'Europe/Berlin',
    'Mars/Base',
    '*',
    '[]',
    '{}',
    '1,2',
  ],
]

const hostileNumbers: readonly number[] = [0, -1, 1, 2, 100, 101, 1.5, -0.5, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1e21, 1e308]

/** A chain of objects or lists. */
function deep(levels: number, isList: boolean): unknown {
  let value: unknown = null
  for (let level = 0; level < levels; level += 1) value = isList ? [value] : { a: value }
  return value
}

export const hostileText = (chance: Chance) => chance.pick(hostileTexts)
export const hostileNumber = (chance: Chance) => chance.pick(hostileNumbers)

/** Any JSON, whatever is expected. */
export function hostileValue(chance: Chance, depth = 0): unknown {
  switch (chance.below(depth > 2 ? 4 : 8)) {
    case 0:
      return null
    case 1:
      return chance.once(2)
    case 2:
      return hostileNumber(chance)
    case 3:
    case 4:
      return hostileText(chance)
    case 5:
      return chance.once(8) ? deep(chance.pick([5, 31, 33, 200]), chance.once(2)) : []
    case 6:
      return Array.from({ length: chance.below(4) }, () => hostileValue(chance, depth + 1))
    default:
      return Object.fromEntries(
        Array.from({ length: chance.below(4) }, () => [hostileText(chance), hostileValue(chance, depth + 1)]),
      )
  }
}
