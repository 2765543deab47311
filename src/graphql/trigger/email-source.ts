// The source of the email that a delivery sends.
import { emailSourceOf } from '../../domain/execution/email-source.ts'
import { builder } from '../schema/builder.ts'
import { usualLength } from '../schema/complexity.ts'
import { edge } from '../schema/query.ts'
import { Delivery } from './delivery.ts'

/** Composing a source takes as long as reading several objects. */
const COST = usualLength(5)

builder.objectField(Delivery, 'emailSource', (t) =>
  edge(t, {
    description:
      'The MIME source of an email as SMTP sends it (RFC 5322), with masks instead of secret payload fields, a sentence instead of the bytes of each file, and without the addresses in `bcc`. Null for other channels, if the subscriber was deleted, and if creating the plain text takes too long.',
    type: 'String',
    nullable: true,
    complexity: COST,
    resolver: emailSourceOf,
    decode: ({ id, stepRunId, createdAt, email }) => email && { deliveryId: id, stepRunId, createdAt, email },
  }),
)
