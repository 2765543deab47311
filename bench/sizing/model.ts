// The size of an installation, computed from measured figures and assumptions.
import { type Assumptions, measured, MEASURED_CORES, messagesInFlight } from './measured.ts'

export interface Load {
  readonly subscribers: number
  /** A second, on average. Each has one in-app message. */
  readonly triggers: number
  /** True if each trigger has an email too. */
  readonly emails: boolean
}

const SECONDS_OF_DAY = 86_400
const HOURS_OF_MONTH = 730
const GIGA = 1e9

/** Memory of a server's system and processes, in bytes. */
const LEAST_MEMORY = 4 * GIGA
/** Processes are on two machines at least, so that one can fail. */
const LEAST_PROCESSES = 2
const LEAST_CORES = 2

const nextPower = (value: number) => 2 ** Math.ceil(Math.log2(value))

/** The size of an installation. `databases` is more than one if environments have to be divided among databases. */
export function sizeOf({ subscribers, triggers, emails }: Load, given: Assumptions) {
  const { value: perTrigger } = measured.databaseSecondsOfTrigger
  const mails = emails ? triggers * given.emailPeak : 0
  /** CPU time of all programs, which includes that of the load generator. */
  const allOfTrigger = MEASURED_CORES / measured.triggers.value
  const allOfEmail = MEASURED_CORES / measured.emails.value
  const atPeak = triggers * given.peak
  const databaseCores = (atPeak * perTrigger + mails * allOfEmail * (1 - given.gatewayShare)) / given.busy
  const gatewayCores = (atPeak * (allOfTrigger - perTrigger) + mails * allOfEmail * given.gatewayShare) / given.busy

  const bytesOfTrigger = measured.bytesOfTrigger.value + (emails ? measured.bytesOfEmail.value : 0)
  const bytesOfDay = triggers * SECONDS_OF_DAY * bytesOfTrigger
  const bytesOfSubscribers = subscribers * measured.bytesOfSubscriber.value
  const disk = (bytesOfDay * given.days + bytesOfSubscribers) * given.slack

  const needed = {
    cores: Math.ceil(databaseCores / given.cores),
    disk: Math.ceil(disk / (given.disk * 1e12)),
    retention: Math.ceil(triggers / measured.expiredEventsDeleted.value),
  }
  const databases = Math.max(1, ...Object.values(needed))
  const coresOfServer = Math.max(LEAST_CORES, nextPower(databaseCores / databases))
  const cached = bytesOfDay * given.cachedDays + bytesOfSubscribers * given.cachedSubscribers
  const memoryOfServer = nextPower((cached / databases + LEAST_MEMORY) / GIGA) * GIGA

  // A process uses one core.
  const processesOfDatabase = Math.max(
    LEAST_PROCESSES,
    Math.ceil(gatewayCores / databases),
    Math.ceil((mails * given.latency) / messagesInFlight / databases),
  )
  const processes = processesOfDatabase * databases
  const memoryOfProcesses = processes * measured.bytesOfProcess.value

  const servers = databases * given.copies
  const cores = servers * coresOfServer + processes
  const memory = servers * memoryOfServer + memoryOfProcesses
  const cost =
    cores * given.coreHour * HOURS_OF_MONTH +
    (memory / GIGA) * given.memoryMonth +
    ((disk * given.copies) / GIGA) * given.diskMonth
  return {
    databases,
    servers,
    coresOfServer,
    memoryOfServer,
    /** Of all primaries. */
    disk,
    processes,
    memoryOfProcesses,
    /** To each primary. */
    connections: processesOfDatabase * measured.connectionsOfProcess.value,
    cost,
    /** True if a primary has to accept more at the peak than was measured on any machine. */
    isBeyond: atPeak / databases > measured.triggers.value,
  }
}
