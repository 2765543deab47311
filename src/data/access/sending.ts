// What environments do with the messages that they would send.
import type { Connection } from '../connection/database.ts'
import type { Environment } from '../prisma/client.ts'
import { type Batch, rowBatch } from '../reading/loader.ts'
import { sql } from '../statement/statement.ts'

/** The rules by which an environment sends. */
export type SendingRules = Pick<Environment, 'sending' | 'redirectTo' | 'allowedDestinations'>

type RulesOf = SendingRules & { readonly id: string }

const readRules = (db: Connection, ids: readonly string[]) =>
  sql<RulesOf>(db, 'sending.readRules')`
    SELECT id, sending, redirect_to AS "redirectTo", allowed_destinations AS "allowedDestinations"
    FROM environments WHERE id = ANY (${[...ids]}::uuid[])`

/** The rules of an environment. Undefined if it does not exist. */
export async function readSendingRules(db: Connection, environmentId: string): Promise<SendingRules | undefined> {
  const [found] = await readRules(db, [environmentId])
  return found
}

/** The rules of the tenant, by its id. */
export const sendingRulesById: Batch<string, SendingRules | null> = rowBatch<RulesOf>(
  ({ db, environmentId }) => readRules(db, [environmentId]),
  ({ id }) => id,
)
