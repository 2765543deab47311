// The preferences of a topic subscription, which decide which workflows reach it, as forms edit them.
import { randomId } from '@mantine/hooks'
import type { graphql } from '../../graph/graphql.ts'
import { graphql as document, type ResultOf } from '../../graph/graphql.ts'
import { formatJson, jsonObjectError, parseJsonObject } from '../../parts/form/json-object.ts'

type PreferenceInput = ReturnType<typeof graphql.scalar<'TopicSubscriptionPreferenceInput'>>

/** The preferences in the form in which pages read them. */
export const preferenceFields = document(`
  fragment PreferenceFields on TopicSubscription @_unmask {
    preferences {
      __typename
      ... on TopicSubscriptionWorkflowPreference {
        enabled
        condition
        workflow {
          id
          identifier
          name
        }
      }
      ... on TopicSubscriptionGroupPreference {
        enabled
        condition
        tags
        workflows {
          id
          identifier
          name
        }
      }
    }
  }
`)

export type Preference = ResultOf<typeof preferenceFields>['preferences'][number]

/** One entry of a form. */
export interface PreferenceEntry {
  /** Identifies the entry on the page. */
  readonly uid: string
  /** Identifiers. */
  readonly workflows: string[]
  readonly tags: string[]
  readonly enabled: boolean
  /** A JSON-logic condition as text. Empty means always. */
  readonly condition: string
}

export const newEntry = (): PreferenceEntry => ({
  uid: randomId(),
  workflows: [],
  tags: [],
  enabled: true,
  condition: '',
})

/** Returns the workflows of an entry. */
export const workflowsOf = (preference: Preference) =>
  preference.__typename === 'TopicSubscriptionWorkflowPreference' ? [preference.workflow] : preference.workflows

/** Returns the tags of an entry. */
export const tagsOf = (preference: Preference) =>
  preference.__typename === 'TopicSubscriptionWorkflowPreference' ? [] : preference.tags

/** Returns the form's values of an entry. */
export const entryOf = (preference: Preference): PreferenceEntry => ({
  ...newEntry(),
  workflows: workflowsOf(preference).map(({ identifier }) => identifier),
  tags: [...tagsOf(preference)],
  enabled: preference.enabled,
  condition: preference.condition === null ? '' : formatJson(preference.condition),
})

/** Returns an entry as a comparison shows it. */
export const comparableEntry = ({ uid: _, ...entry }: PreferenceEntry) => entry

/** Validates the condition of an entry. Returns the error message, or null. */
export const conditionError = (condition: string): string | null =>
  condition.trim() === '' ? null : jsonObjectError(condition)

/** Returns the entry as mutation input. The condition must be valid. */
export function preferenceInput({ workflows, tags, enabled, condition }: PreferenceEntry): PreferenceInput {
  const rest = { enabled, condition: condition.trim() === '' ? null : parseJsonObject(condition) }
  const [workflowIdentifier, ...others] = workflows
  return workflowIdentifier !== undefined && others.length === 0 && tags.length === 0
    ? { workflow: { workflowIdentifier, ...rest } }
    : { group: { workflowIdentifiers: workflows, tags, ...rest } }
}

/** Returns a stored entry as mutation input, as it is. */
export function storedPreferenceInput(preference: Preference): PreferenceInput {
  const { enabled, condition } = preference
  const workflowIdentifiers = workflowsOf(preference).map(({ identifier }) => identifier)
  const [workflowIdentifier] = workflowIdentifiers
  return preference.__typename === 'TopicSubscriptionWorkflowPreference' && workflowIdentifier !== undefined
    ? { workflow: { workflowIdentifier, enabled, condition } }
    : { group: { workflowIdentifiers, tags: [...tagsOf(preference)], enabled, condition } }
}
