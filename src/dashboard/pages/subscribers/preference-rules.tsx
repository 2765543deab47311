// The rules that decide whether a channel is on, in words.
import { Text } from '@mantine/core'
import type { graphql } from '../../graph/graphql.ts'

export type Rule = ReturnType<typeof graphql.scalar<'PreferenceRule'>>

interface Words {
  /** A short label, below a switch. */
  readonly short: string
  readonly sentence: string
}

/** The labels of the rules for the channels of one workflow, in order of precedence. */
const workflowRules = {
  CRITICAL: { short: 'critical', sentence: 'The workflow is critical, so every channel is on.' },
  SUBSCRIBER_WORKFLOW: { short: 'own choice', sentence: 'The subscriber chose this for the workflow.' },
  SUBSCRIBER_CATEGORY: { short: 'choice for category', sentence: 'The subscriber chose this for the category.' },
  SUBSCRIBER_GLOBAL: { short: 'choice for all', sentence: 'The subscriber chose this for all workflows.' },
  CATEGORY_DEFAULT: {
    short: 'category default',
    sentence: 'The subscriber made no choice, and the category has a default for the channel.',
  },
  WORKFLOW_DEFAULT: {
    short: 'default',
    sentence:
      'The subscriber made no choice, so the default of the workflow applies: on, unless the workflow turns the channel off.',
  },
} as const satisfies Record<Rule, Words>

/** The label of a choice without context that decides under contexts. */
export const withoutContext: Words = {
  short: 'without context',
  sentence:
    'The subscriber turned notifications off without context, and chose nothing under these contexts, so the choices without context apply.',
}

/** The label of a channel that a workflow, or the workflows of a category, do not use. */
export const notUsed = {
  short: 'not used',
  sentence: 'The workflow does not use this channel, or no workflow of the category does.',
} as const satisfies Words

/** The labels of the rules for the channels of all workflows. */
const globalRules = {
  ...workflowRules,
  WORKFLOW_DEFAULT: {
    short: 'defaults',
    sentence: 'The subscriber made no choice for all workflows, so the defaults of the workflows apply.',
  },
} as const satisfies Record<Rule, Words>

/** The labels of the rules for the channels of the workflows of one category. */
const categoryRules = {
  ...workflowRules,
  SUBSCRIBER_CATEGORY: { short: 'own choice', sentence: 'The subscriber chose this for the category.' },
  WORKFLOW_DEFAULT: {
    short: 'defaults',
    sentence: 'The subscriber made no choice for the category, so the defaults of its workflows apply.',
  },
} as const satisfies Record<Rule, Words>

interface Scope {
  readonly rules: Readonly<Record<Rule, Words>>
  /** The rule that a choice for the scope creates. */
  readonly own: Rule
}

/** What a choice can be about. */
export const scopes = {
  ALL: { rules: globalRules, own: 'SUBSCRIBER_GLOBAL' },
  CATEGORY: { rules: categoryRules, own: 'SUBSCRIBER_CATEGORY' },
  WORKFLOW: { rules: workflowRules, own: 'SUBSCRIBER_WORKFLOW' },
} as const satisfies Record<string, Scope>

/** Explains the labels below the switches. */
export const RuleLegend = () => (
  <Text size="sm" c="dimmed" component="div">
    The first of these that applies decides each channel of a workflow:
    <ol aria-label="What decides" style={{ margin: 0, paddingInlineStart: '1.5em' }}>
      {Object.values(workflowRules).map(({ short, sentence }) => (
        <li key={short}>
          <b>{short}</b>: {sentence}
        </li>
      ))}
    </ol>
    <b>{notUsed.short}</b>: {notUsed.sentence}
  </Text>
)
