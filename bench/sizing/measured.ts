// What the table of sizes is computed from: figures that were measured, with the page that has them, and assumptions.
// test/house/sizing.test.ts compares the measured ones with the documentation.
import { MESSAGE_CONCURRENCY } from '../../src/delivery/worker/message-concurrency.ts'

interface Measured {
  readonly value: number
  /** The page of docs/ that has the figure. */
  readonly page: string
  /** The words around the figure, with # in place of the figure. */
  readonly words: string
}

/** Sizes in bytes, rates per second, times in seconds. */
export const measured = {
  bytesOfSubscriber: { value: 1_200, page: 'scale.md', words: 'name, email address and phone | # kB' },
  bytesOfTrigger: { value: 3_200, page: 'scale.md', words: 'a trigger with one in-app message | # kB' },
  bytesOfEmail: { value: 1_800, page: 'scale.md', words: 'an email of a trigger, in addition | # kB' },
  /** By two cores, which the gateway, PostgreSQL and the load generator share. */
  triggers: { value: 1_306, page: 'performance.md', words: 'triggers with one message, to the feed | #' },
  /** CPU time of PostgreSQL. */
  databaseSecondsOfTrigger: { value: 0.000_6, page: 'scale.md', words: 'a trigger costs # ms of its CPU time' },
  /** By two cores, which two processes, PostgreSQL and the receiver share. */
  emails: { value: 195, page: 'performance.md', words: 'the database on two cores send # a second' },
  /** Resident memory of a process under load. */
  bytesOfProcess: { value: 443_000_000, page: 'scale.md', words: '437 to # MB at 40 triggers a second' },
  connectionsOfProcess: { value: 13, page: 'scale.md', words: 'one more for LISTEN: #, or' },
  /** By all processes on one database. */
  expiredEventsDeleted: { value: 480, page: 'performance.md', words: 'The sweep deleted about # events a second' },
} as const satisfies Readonly<Record<string, Measured>>

/** The cores of the machine on which the rates were measured. */
export const MEASURED_CORES = 2

/** Options of `npx tsx bench/sizing.ts`, with their defaults. None of them was measured. */
export const assumptions = {
  days: { value: 90, meaning: 'days for which events and notifications are kept' },
  peak: { value: 10, meaning: 'triggers at the peak, times the average' },
  emailPeak: { value: 2, meaning: 'emails sent a second, times the average; more wait in the queue' },
  slack: { value: 1.5, meaning: 'disk for the queue and dead rows, times the rows' },
  busy: { value: 0.6, meaning: 'share of the CPU that is busy at the peak' },
  gatewayShare: { value: 0.6, meaning: 'share of the CPU of an email that the gateway uses; PostgreSQL uses the rest' },
  latency: { value: 0.1, meaning: 'seconds that a provider takes for a message' },
  cachedDays: { value: 1, meaning: 'days whose rows are in the memory of PostgreSQL' },
  cachedSubscribers: { value: 0.1, meaning: 'share of the subscribers in the memory of PostgreSQL' },
  cores: { value: 32, meaning: 'most cores of one PostgreSQL server' },
  disk: { value: 16, meaning: 'most disk of one PostgreSQL server, in TB' },
  copies: { value: 2, meaning: 'servers of a database: a primary and a standby' },
  coreHour: { value: 0.04, meaning: 'price of a core and hour' },
  memoryMonth: { value: 3.5, meaning: 'price of a GB of memory and month' },
  diskMonth: { value: 0.12, meaning: 'price of a GB of disk and month' },
} as const satisfies Readonly<Record<string, { value: number; meaning: string }>>

export type Assumptions = Readonly<Record<keyof typeof assumptions, number>>

/** Messages in flight through one integration of a process. */
export const messagesInFlight = MESSAGE_CONCURRENCY
