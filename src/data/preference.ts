// Bulk updates of preferences.
import type { Tenant } from './loader.ts'

/**
 * Removes the choices for these channels from all workflow preferences of a subscriber under exactly these contexts.
 */
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
