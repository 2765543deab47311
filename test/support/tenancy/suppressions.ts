// Tenancy cases: naming the suppressions, the integrations and the contexts of another environment's suppressions and texts.
import { expect } from 'vitest'
import { type Case, doesNotFind, findsNothing, makesItsOwn } from './case.ts'

const address = { channel: 'EMAIL', address: 'new@example.com' }
const adasContext = [{ type: 'tenant', identifier: 'acme' }]

/** A bulk request in which the only item names an integration of another environment. */
const failsAlone =
  (named: (adas: Readonly<Record<string, string>>) => object): Case =>
  async ({ graces, adas }) => {
    const suppressions = [{ channel: 'SMS', address: '+4915100000007', ...named(adas.ids) }]
    const payload = await graces.client.act('createSuppressions', { suppressions }, 'failed { message }')
    expect(payload.failed).toMatchObject([{ message: expect.stringMatching(/not found$/) }])
  }

export const casesOfSuppressions: Record<string, Case> = {
  'Query.suppression(id)': findsNothing(
    'query ($id: ID!) { suppression(id: $id) { id } }',
    (_graces, { Suppression }) => ({ id: Suppression }),
  ),
  'Query.suppressions(filter.contextKeys)': findsNothing(
    '{ suppressions(filter: { contextKeys: ["tenant:acme"] }) { nodes { id } } }',
  ),
  'Query.inboundTexts(filter.integrationIdentifier)': findsNothing(
    '{ inboundTexts(filter: { integrationIdentifier: "slack" }) { nodes { id } } }',
  ),
  'Query.inboundTexts(filter.integrationIdentifiers)': findsNothing(
    '{ inboundTexts(filter: { integrationIdentifiers: ["slack"] }) { nodes { id } } }',
  ),
  'Mutation.createSuppression(input.contexts.identifier)': makesItsOwn('createSuppression', {
    ...address,
    contexts: adasContext,
  }),
  'Mutation.createSuppression(input.integrationIdentifier)': doesNotFind(
    'createSuppression',
    { ...address, integrationIdentifier: 'slack' },
    'test/suppression/suppression.test.ts',
  ),
  'Mutation.createSuppression(input.integrationId)': doesNotFind(
    'createSuppression',
    (_graces, { Integration }) => ({ ...address, integrationId: Integration }),
    'test/suppression/suppression.test.ts',
  ),
  'Mutation.createSuppressions(input.suppressions.contexts.identifier)': makesItsOwn('createSuppressions', {
    suppressions: [{ ...address, contexts: adasContext }],
  }),
  'Mutation.createSuppressions(input.suppressions.integrationIdentifier)': failsAlone(() => ({
    integrationIdentifier: 'slack',
  })),
  'Mutation.createSuppressions(input.suppressions.integrationId)': failsAlone(({ Integration }) => ({
    integrationId: Integration,
  })),
  'Mutation.deleteSuppression(input.id)': doesNotFind('deleteSuppression', (_graces, { Suppression }) => ({
    id: Suppression,
  })),
}
