// What is written to preferences in one statement.
import type { Tenant } from './loader.ts'

/** Takes back what was chosen for these channels in the rows of single workflows, under exactly these contexts. */
export async function takeBackChannels(
  { db, environmentId }: Tenant,
  { subscriberId, contextKeys }: { readonly subscriberId: string; readonly contextKeys: readonly string[] },
  channels: readonly string[],
): Promise<void> {
  if (channels.length === 0) return
  await db.$executeRaw`
    UPDATE subscriber_preferences SET channels = channels - ${[...channels]}::text[]
    WHERE environment_id = ${environmentId}::uuid AND subscriber_id = ${subscriberId}
      AND context_keys = ${[...contextKeys]}::text[] AND workflow_id IS NOT NULL`
}
