// The destination of a channel endpoint, converted between the graph and forms.
import { graphql, type ResultOf } from '../../graph/graphql.ts'

type EndpointRegion = ReturnType<typeof graphql.scalar<'EndpointRegion'>>
type WebhookMethod = ReturnType<typeof graphql.scalar<'WebhookMethod'>>

/** The destination with its secrets. */
export const endpointFields = graphql(`
  fragment EndpointFields on ChannelEndpoint @_unmask {
    endpoint {
      __typename
      ... on AlertingIntegration {
        apiKey
        region
      }
      ... on IncidentService {
        routingKey
        region
      }
      ... on MeetingPerson {
        personId
        personEmail
      }
      ... on MeetingRoom {
        roomId
        parentId
      }
      ... on MessagingAppUser {
        userId
      }
      ... on MessengerChat {
        chatId
      }
      ... on OfficeChatChannel {
        teamId
        channelId
      }
      ... on OfficeChatUser {
        userId
      }
      ... on OncallIntegration {
        url
        authToken
      }
      ... on Phone {
        phoneNumber
      }
      ... on ToolWebhook {
        url
        method
        headers {
          name
          value
        }
      }
      ... on Webhook {
        url
        channel
      }
      ... on WorkspaceChatChannel {
        channelId
      }
      ... on WorkspaceChatUser {
        userId
      }
    }
  }
`)

type Endpoint = NonNullable<ResultOf<typeof endpointFields>['endpoint']>

export interface HeaderRow {
  readonly name: string
  readonly value: string
}

/** The values of all fields, of which each type uses some. An empty text means an absent value. */
export interface EndpointValues {
  readonly channelId: string
  readonly userId: string
  readonly teamId: string
  readonly chatId: string
  readonly roomId: string
  readonly parentId: string
  readonly personId: string
  readonly personEmail: string
  readonly phoneNumber: string
  readonly routingKey: string
  readonly apiKey: string
  readonly url: string
  readonly channel: string
  readonly authToken: string
  readonly region: EndpointRegion
  readonly method: WebhookMethod | ''
  readonly headers: HeaderRow[]
}

export const noValues: EndpointValues = {
  channelId: '',
  userId: '',
  teamId: '',
  chatId: '',
  roomId: '',
  parentId: '',
  personId: '',
  personEmail: '',
  phoneNumber: '',
  routingKey: '',
  apiKey: '',
  url: '',
  channel: '',
  authToken: '',
  region: 'US',
  method: '',
  headers: [],
}

/** Returns the form's values of a destination. Absent values are empty. */
export function valuesOf(endpoint: Endpoint): EndpointValues {
  const given = Object.fromEntries(Object.entries(endpoint).filter(([, value]) => value !== null))
  const headers = 'headers' in endpoint ? (endpoint.headers ?? []) : []
  return { ...noValues, ...given, headers: headers.map(({ name, value }) => ({ name, value })) }
}
