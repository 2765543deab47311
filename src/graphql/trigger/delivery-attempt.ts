// The attempts of a delivery, and the integrations through which it is tried.
import type { ShownAttempt } from '../../domain/execution/delivery.ts'
import { routeReasonCodes, type ShownRoute } from '../../domain/execution/delivery-route.ts'
import { Provider } from '../channel.ts'
import { builder } from '../schema/builder.ts'
import { codeEnum } from '../schema/code-enum.ts'
import { formerNameOf, replacedBy } from '../schema/former-name.ts'
import { identifierOf } from '../schema/wording.ts'

const RouteReason = codeEnum('RouteReason', 'Why a message went from one integration to the next.', routeReasonCodes)

export const DeliveryRoute = builder.objectRef<ShownRoute>('DeliveryRoute').implement({
  description: 'One of the integrations through which a message is tried.',
  fields: (t) => ({
    providerId: t.expose('providerId', { type: Provider, description: 'The provider.' }),
    integrationIdentifier: t.exposeString('integrationIdentifier', { description: identifierOf('integration') }),
    isPresent: t.exposeBoolean('isPresent', {
      description: 'True if the message is tried through this integration now, or was tried through it last.',
    }),
    leftReason: t.expose('leftReason', {
      type: RouteReason,
      nullable: true,
      description: 'Why the message went to the next integration. Null if it did not.',
    }),
  }),
})

export const DeliveryAttempt = builder.objectRef<ShownAttempt>('DeliveryAttempt').implement({
  description: 'One attempt to deliver a message.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'The number of the attempt, starting at 1.' }),
    providerId: t.expose('providerId', { type: Provider, description: 'The provider that made the attempt.' }),
    integrationIdentifier: t.exposeString('integrationIdentifier', {
      description: identifierOf('integration that made the attempt'),
    }),
    nextRouteReason: t.expose('nextRouteReason', {
      type: RouteReason,
      nullable: true,
      description: 'Why the message went to the next integration after this attempt. Null if it did not.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'The error message. Null if the attempt succeeded.',
    }),
    statusCode: t.exposeInt('status', {
      nullable: true,
      description: "The status code of the provider's response. Null without a response.",
    }),
    status: t.exposeInt('status', {
      nullable: true,
      deprecationReason: replacedBy('statusCode'),
      description: `${formerNameOf('statusCode')} Null without a response.`,
    }),
    answer: t.exposeString('answer', {
      nullable: true,
      description: 'The beginning of the response, without secrets. Null without a response.',
    }),
    isCaptured: t.exposeBoolean('isCaptured', {
      description: 'True if nothing was sent, because the environment captured the message.',
    }),
    redirectedTo: t.exposeString('redirectedTo', {
      nullable: true,
      description:
        'The email address or phone number to which the environment redirected the message. Null if it went to its recipient, or was captured.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'The time the attempt started.' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', description: 'The time the attempt ended.' }),
  }),
})
