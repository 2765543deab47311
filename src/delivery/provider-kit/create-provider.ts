// Creates a provider from its settings, its targets and its request.
import type { z } from 'zod'
import { parseCredentials, settingsOf } from './credentials.ts'
import { problemsOf, type Sometimes } from './credential-problems.ts'
import type { Outbound } from '../network/outbound.ts'
import type { OutgoingMessage, Provider, ReadReports, Receipt } from './provider.ts'
import type { ReportReceiver } from './report.ts'
import { misdirected, type TargetReader } from './target.ts'

interface Sending<Settings, To> {
  /** The validated credentials of the integration. */
  readonly settings: Settings
  readonly to: To
  readonly message: OutgoingMessage
  readonly outbound: Outbound
}

interface Definition<Settings extends z.ZodObject, To> {
  /** The schema of the credentials. Each field is documented. */
  readonly settings: Settings
  readonly target: TargetReader<To>
  /** The settings that only some destinations require. */
  readonly sometimes?: readonly Sometimes[]
  /** Sends one message. @throws DeliveryFailure if it was not accepted. */
  readonly send: (sending: Sending<z.output<Settings>, To>) => Promise<Receipt>
  /** Absent if the provider reports nothing about accepted messages. */
  readonly readReports?: ReadReports
  /** Absent if the provider sends no reports to the gateway. */
  readonly receiver?: ReportReceiver
}

/** A message with invalid credentials or an unsupported target fails permanently before `send` is called. */
export function createProvider<Settings extends z.ZodObject, To>({
  settings,
  target,
  sometimes = [],
  send,
  readReports,
  receiver,
}: Definition<Settings, To>): Provider {
  const { kinds, endpointTypes } = target
  return {
    settings: settingsOf(settings),
    check: (credentials) => problemsOf(settings, credentials, sometimes),
    targetKinds: kinds,
    endpointTypes,
    readReports,
    receiver,
    reports: receiver && { proof: receiver.proof, setting: receiver.setting },
    async send(message, outbound) {
      const to = target.find(message.target)
      if (to === undefined) throw misdirected(message.target, target.served)
      return send({ settings: parseCredentials(message, settings), to, message, outbound })
    },
  }
}
