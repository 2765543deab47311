// A way in which a message does not arrive, and what the execution log says about it.
import { expect } from 'vitest'
import type { Receiver } from '../delivery/receiver.ts'
import { done } from '../delivery/story.ts'
import type { Client, World } from '../world.ts'

/** What a way has to work with. The environment is its own, with the subscriber `ada`. */
export interface Stage {
  readonly world: World
  readonly client: Client
  readonly receiver: Receiver
}

/** What the log says. */
export interface Told {
  readonly code: string
  readonly words: string
  readonly advice: string | null
  /** The objects that the log leads to. */
  readonly leadsTo: readonly string[]
}

/** A title, and a function that produces the way and reads what the log says. */
export type Way = readonly [title: string, tell: (stage: Stage) => Promise<Told>]

/** Triggers `order` as the event `order-1`, for Ada by default, and runs all jobs. */
export async function send({ client, world }: Stage, more: object = {}): Promise<void> {
  const body = { name: 'order', to: 'ada', transactionId: 'order-1', ...more }
  expect(await client.rest('POST /v1/events/trigger', { body })).toMatchObject({ status: 201 })
  await world.work()
}

export const workflow = ({ client }: Stage, steps: readonly object[], more: object = {}) =>
  done(client, 'createWorkflow', { identifier: 'order', name: 'Order', steps, ...more })

type Named = { readonly identifier: string } | null

interface EventRead {
  readonly status: string
  readonly reason: string | null
  readonly detail: string | null
  readonly advice: string | null
  readonly workflow: Named
}

interface StepRead {
  readonly status: string
  readonly reason: string | null
  readonly cause: string | null
  readonly explanation: string
  readonly advice: string | null
  readonly topicSubscription: Named
  readonly integration: Named
  readonly channelEndpoint: Named
  readonly mergedInto: { readonly workflowRun: { readonly event: { readonly transactionId: string } } } | null
  readonly notification: { readonly contexts: readonly { readonly key: string }[] } | null
  readonly deliveries: readonly { readonly integration: Named; readonly channelEndpoint: Named }[]
}

/** What the log says about an event without runs. */
export async function ofEvent({ client }: Stage, transactionId = 'order-1'): Promise<Told> {
  const { event } = await client.ask<{ event: EventRead }>(
    'query ($id: String!) { event(transactionId: $id) { status reason detail advice workflow { identifier } } }',
    { id: transactionId },
  )
  return {
    code: `event: ${event.reason ?? event.status}`,
    words: event.detail ?? '',
    advice: event.advice,
    leadsTo: event.workflow ? [`workflow ${event.workflow.identifier}`] : [],
  }
}

/** What the trace of the last trigger without an event says. */
export async function ofTrace({ client, world }: Stage): Promise<Told> {
  await world.work()
  const { unprocessedTriggers } = await client.ask(
    `{
      unprocessedTriggers(first: 1, filter: { subscriberId: "ada" }) {
        nodes { kind code explanation advice workflow { identifier } event { transactionId } apiKey { name } }
      }
    }`,
  )
  const { kind, code, explanation, advice, workflow, event, apiKey } = unprocessedTriggers.nodes[0]
  return {
    code: `trigger: ${[kind, code ?? []].flat().join(', ')}`,
    words: explanation,
    advice,
    leadsTo: [
      ...(Object(workflow) === workflow ? [`workflow ${workflow.identifier}`] : []),
      ...(Object(event) === event ? [`event ${event.transactionId}`] : []),
      `API key ${apiKey.name}`,
    ],
  }
}

/** What the log says about the first step of Ada's run. */
export async function ofStep({ client }: Stage, transactionId = 'order-1'): Promise<Told> {
  const { event } = await client.ask<{ event: { runs: { nodes: readonly { steps: readonly StepRead[] }[] } } }>(
    `query ($id: String!) {
      event(transactionId: $id) {
        runs(filter: { subscriberId: "ada" }) {
          nodes {
            steps {
              status reason cause explanation advice
              topicSubscription { identifier } integration { identifier } channelEndpoint { identifier }
              mergedInto { workflowRun { event { transactionId } } }
              notification { contexts { key } }
              deliveries { integration { identifier } channelEndpoint { identifier } }
            }
          }
        }
      }
    }`,
    { id: transactionId },
  )
  const step = event.runs.nodes[0]?.steps[0]
  if (step === undefined) throw new Error('Ada has no step')
  const { status, reason, cause, explanation, advice, topicSubscription, mergedInto, notification, deliveries } = step
  const integrations = [step, ...deliveries].flatMap(({ integration }) => integration ?? [])
  const endpoints = [step, ...deliveries].flatMap(({ channelEndpoint }) => channelEndpoint ?? [])
  return {
    code: [reason ?? status, ...(cause === null ? [] : [cause])].join(', '),
    words: explanation,
    advice,
    leadsTo: [
      ...(topicSubscription ? [`topic subscription ${topicSubscription.identifier}`] : []),
      ...integrations.map(({ identifier }) => `integration ${identifier}`),
      ...endpoints.map(({ identifier }) => `channel endpoint ${identifier}`),
      ...(mergedInto ? [`event ${mergedInto.workflowRun.event.transactionId}`] : []),
      ...(notification?.contexts.map(({ key }) => `context ${key}`) ?? []),
    ],
  }
}
