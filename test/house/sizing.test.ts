// The table of sizes in docs/scale.md: its measured figures are those of the documentation, and its sums are right.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { assumptions, type Assumptions, measured } from '../../bench/sizing/measured.ts'
import { type Load, sizeOf } from '../../bench/sizing/model.ts'

const docs = path.join(import.meta.dirname, '../../docs')
/** A page, with one space between words and between the cells of its tables. */
const read = (page: string) => readFileSync(path.join(docs, page), 'utf8').replaceAll(/\s+/g, ' ')

/** The value in the unit of the page. */
const written = (value: number, words: string) => {
  if (words.includes('# kB')) return String(value / 1e3)
  if (words.includes('# MB')) return String(value / 1e6)
  return words.includes('# ms') ? String(value * 1e3) : value.toLocaleString('en')
}

const given: Assumptions = {
  ...{ days: 90, peak: 10, emailPeak: 2, slack: 1.5, busy: 0.6, gatewayShare: 0.6, latency: 0.1, cachedDays: 1 },
  ...{ cachedSubscribers: 0.1, cores: 32, disk: 16, copies: 2, coreHour: 0.04, memoryMonth: 3.5, diskMonth: 0.12 },
}
const sizeFor = (load: Partial<Load>, others: Partial<Assumptions> = {}) =>
  sizeOf({ subscribers: 10_000_000, triggers: 10, emails: false, ...load }, { ...given, ...others })

describe('the sizes', () => {
  test.each(Object.entries(measured))('are computed from a figure of the documentation: %s', (_name, figure) => {
    expect(read(figure.page)).toContain(figure.words.replace('#', written(figure.value, figure.words)))
  })

  test('are computed from assumptions that the documentation lists', () => {
    const defaults = Object.fromEntries(Object.entries(assumptions).map(([name, { value }]) => [name, value]))
    expect(given).toEqual(defaults)
    for (const [name, { value, meaning }] of Object.entries(assumptions)) {
      expect(read('scale.md')).toContain(`| \`${name}\` | ${value} | ${meaning} |`)
    }
  })

  test('have the disk of all rows that are kept, and of the subscribers, with room', () => {
    const rows = 10 * 86_400 * 90 * 3_200 + 10_000_000 * 1_200
    expect(sizeFor({}).disk).toBeCloseTo(rows * 1.5)
    expect(sizeFor({ emails: true }).disk).toBeCloseTo((rows + 10 * 86_400 * 90 * 1_800) * 1.5)
  })

  test('have two processes and a standby for the smallest load', () => {
    expect(sizeFor({})).toMatchObject({ databases: 1, servers: 2, processes: 2, connections: 26, isBeyond: false })
  })

  test('divide environments when sweeps, the disk or the CPU of one server do not suffice', () => {
    expect(sizeFor({ triggers: 480 }, { disk: 1_000 }).databases).toBe(1)
    expect(sizeFor({ triggers: 481 }, { disk: 1_000 }).databases).toBe(2)
    expect(sizeFor({ triggers: 100 }, { disk: 1 }).databases).toBe(4)
    expect(sizeFor({ triggers: 100 }, { peak: 400, cores: 8 }).databases).toBe(5)
  })

  test('have processes for messages in flight through a slow provider', () => {
    expect(sizeFor({ emails: true }, { latency: 60, busy: 1e6 }).processes).toBe(30)
  })
})
