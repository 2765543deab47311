// Notifications written directly to a feed, without a workflow.
import type { NotificationRow } from '../../src/data/feed/notification.ts'
import { writeRunChanges } from '../../src/data/run-changes.ts'
import type { Gateway } from '../../src/domain/resolver/scope.ts'
import { encodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { environmentIdOf } from './environment-id.ts'
import type { Client } from './world.ts'

/** The fields of a notification that a test sets. */
export type Given = Partial<NotificationRow> & Pick<NotificationRow, 'subscriberId'>

export function newNotification({ newId }: Pick<Gateway, 'newId'>, given: Given): NotificationRow {
  return {
    id: newId(),
    contextKeys: [],
    eventId: newId(),
    stepRunId: newId(),
    workflowIdentifier: 'order-shipped',
    subject: null,
    body: 'Your order is on its way.',
    avatar: null,
    url: null,
    target: null,
    actions: [],
    data: {},
    payload: null,
    severity: 'none',
    tags: [],
    ...given,
  }
}

/**
 * Adds notifications to feeds in the client's environment, all in one write.
 *
 * @returns their node ids.
 */
export async function notify(
  { gateway }: { readonly gateway: Pick<Gateway, 'db' | 'newId' | 'now'> },
  client: Pick<Client, 'ask'>,
  ...given: readonly Given[]
): Promise<string[]> {
  const rows = given.map((one) => newNotification(gateway, one))
  const environmentId = await environmentIdOf(client)
  await writeRunChanges({ ...gateway, environmentId }, { notifications: rows })
  return rows.map(({ id }) => encodeNodeId('Notification', id))
}
