// The example operations in the history of GraphiQL, one for each task of a newcomer.

/** An operation in GraphiQL's format. */
export interface Example {
  readonly label: string
  readonly query: string
  /** The variables as text. */
  readonly variables?: string
}

const variables = (values: Readonly<Record<string, unknown>>) => JSON.stringify(values, null, 2)

/** The examples in the order in which a newcomer needs them. All are valid operations of the schema. */
export const examples: readonly Example[] = [
  {
    label: 'List subscribers',
    query: `query Subscribers($search: String, $after: String) {
  subscribers(first: 20, after: $after, filter: { search: $search }) {
    totalCount
    nodes {
      subscriberId
      firstName
      lastName
      email
      phone
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`,
    variables: variables({ search: null, after: null }),
  },
  {
    label: 'One person with everything',
    query: `query Person($subscriberId: String!) {
  subscriber(subscriberId: $subscriberId) {
    subscriberId
    firstName
    lastName
    email
    phone
    locale
    timezone
    data
    channels {
      providerId
      integrationIdentifier
      deviceTokens
      webhookUrl
    }
    topicSubscriptions {
      nodes {
        topic {
          key
          name
        }
        contextKeys
      }
    }
    channelEndpoints {
      nodes {
        identifier
        type
        integrationIdentifier
      }
    }
    preferences {
      enabled
      channels {
        channel
        enabled
      }
    }
    notificationCounts {
      total
      unread
      unseen
    }
    notifications(first: 10) {
      nodes {
        subject
        body
        createdAt
        readAt
      }
    }
  }
}
`,
    variables: variables({ subscriberId: 'ada' }),
  },
  {
    label: 'Create a workflow',
    query: `mutation CreateWorkflow($input: CreateWorkflowInput!) {
  createWorkflow(input: $input) {
    workflow {
      identifier
      name
    }
    userErrors {
      field
      message
      line
      column
    }
  }
}
`,
    variables: variables({
      input: {
        identifier: 'welcome',
        name: 'Welcome',
        steps: [
          { inApp: { subject: 'Hello, {{subscriber.firstName}}', body: 'Your plan is {{payload.plan}}.' } },
          { email: { subject: 'Welcome', body: 'Hello, {{subscriber.firstName}}!' } },
        ],
      },
    }),
  },
  {
    label: 'Preview a trigger',
    query: `query PreviewTrigger($input: PreviewTriggerInput!) {
  previewTrigger(input: $input) {
    errors
    eventStatus
    reason
    detail
    runs {
      subscriberId
      steps {
        stepId
        type
        status
        reasonCode
        detail
        notification {
          subject
          body
        }
        messages {
          destination
          providerId
          subject
          body
        }
      }
    }
  }
}
`,
    variables: variables({
      input: {
        workflowIdentifier: 'welcome',
        to: [{ subscriber: { subscriberId: 'ada' } }],
        payload: { plan: 'Pro' },
      },
    }),
  },
  {
    label: 'Trigger an event',
    query: `mutation TriggerEvent($input: TriggerEventInput!) {
  triggerEvent(input: $input) {
    event {
      transactionId
      status
    }
    duplicate
    userErrors {
      field
      message
    }
  }
}
`,
    variables: variables({
      input: {
        workflowIdentifier: 'welcome',
        to: [{ subscriber: { subscriberId: 'ada', firstName: 'Ada', email: 'ada@example.com' } }],
        payload: { plan: 'Pro' },
      },
    }),
  },
  {
    label: 'Why a message failed',
    query: `query FailedMessages($after: String) {
  deliveries(first: 20, after: $after, filter: { status: FAILED }) {
    nodes {
      channel
      destination
      integrationIdentifier
      subject
      createdAt
      attempts {
        number
        startedAt
        endedAt
        statusCode
        error
        answer
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`,
    variables: variables({ after: null }),
  },
  {
    label: 'Follow a feed',
    query: `subscription Feed($subscriberId: String!) {
  notificationReceived(subscriberId: $subscriberId) {
    workflowIdentifier
    subject
    body
    createdAt
  }
}
`,
    variables: variables({ subscriberId: 'ada' }),
  },
]

/** The key under which GraphiQL's history stores favorites. */
const FAVORITES = 'graphiql:favorites'

/**
 * Adds the examples to the history's favorites, unless the browser already has some. GraphiQL reads favorites once,
 * never removes one, and shows the last one first.
 */
export function addExamples(): void {
  if (localStorage.getItem(FAVORITES) !== null) return
  const favorites = examples.map((example) => ({ ...example, favorite: true })).reverse()
  localStorage.setItem(FAVORITES, JSON.stringify({ favorites }))
}
