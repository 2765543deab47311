// The whole schema. Each noun adds itself to the builder.
import { lexicographicSortSchema, printSchema } from 'graphql'
import { builder } from './builder.ts'
import { resolveNodeIdsAtOnce } from './node-id.ts'
import '../channel-endpoint.ts'
import '../context.ts'
import '../dashboard-session.ts'
import '../delivery-health.ts'
import '../delivery.ts'
import '../environment.ts'
import '../erasure.ts'
import '../event.ts'
import '../integration.ts'
import '../message-statistics.ts'
import '../notification.ts'
import '../notification-stream.ts'
import '../preference.ts'
import '../preview.ts'
import '../provider.ts'
import '../run.ts'
import '../session.ts'
import '../subscriber.ts'
import '../subscriber-credential.ts'
import '../test-message.ts'
import '../topic.ts'
import '../topic-subscription.ts'
import '../trigger.ts'
import '../workflow.ts'
import '../workflow-check.ts'

export const schema = resolveNodeIdsAtOnce(builder.toSchema())

/** The text of schema.graphql. */
export const printedSchema = `# Printed from src/graphql by \`npm run schema\`. Do not edit.\n\n${printSchema(lexicographicSortSchema(schema))}\n`
