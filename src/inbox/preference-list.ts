// The subscriber's preferences: each channel, for all workflows or for one.
import { html, type TemplateResult } from 'lit'
import type { Preferences } from './documents.ts'
import type { ChannelName } from './feed.ts'
import type { Texts } from './texts.ts'

type Change = (workflowId: string | null, channel: ChannelName, enabled: boolean) => void

export function preferenceList(preferences: Preferences, texts: Texts, onChange: Change): TemplateResult {
  return html`
    ${group(texts.allWorkflows, null, preferences.channels, texts, onChange)}
    ${preferences.workflows.map(({ workflowIdentifier, workflowName, channels }) =>
      group(workflowName, workflowIdentifier, channels, texts, onChange),
    )}
  `
}

interface Setting {
  readonly channel: ChannelName
  readonly enabled: boolean
  readonly decidedBy?: string
}

function group(
  name: string,
  workflowId: string | null,
  settings: readonly Setting[],
  texts: Texts,
  onChange: Change,
): TemplateResult {
  const isCritical = settings.some(({ decidedBy }) => decidedBy === 'CRITICAL')
  return html`
    <fieldset ?disabled=${isCritical}>
      <legend>${name}</legend>
      ${settings.map(
        ({ channel, enabled }) => html`
          <label>
            <input
              type="checkbox"
              .checked=${enabled}
              @change=${(event: Event) => onChange(workflowId, channel, isChecked(event))}
            />
            ${texts[channel]}
          </label>
        `,
      )}
      ${isCritical ? html`<span class="muted">${texts.always}</span>` : ''}
    </fieldset>
  `
}

const isChecked = ({ target }: Event) => target instanceof HTMLInputElement && target.checked
