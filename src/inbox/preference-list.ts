// The subscriber's preferences: each channel that workflows use, for all workflows or for one.
import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { ChannelName, ReadPreferences } from './preferences.ts'
import type { Texts } from './texts.ts'

type Change = (workflowIdentifier: string | null, channel: ChannelName, enabled: boolean) => void

interface ListOptions {
  readonly preferences: ReadPreferences
  readonly texts: Texts
  readonly onChange: Change
  readonly onMore: () => void
}

export function preferenceList({ preferences, texts, onChange, onMore }: ListOptions): TemplateResult {
  const { usedChannels, workflows, hasMore } = preferences
  return html`
    ${group({ name: texts.allWorkflows, workflowIdentifier: null, isCritical: false, settings: usedChannels }, texts, onChange)}
    ${workflows
      .filter(({ channels }) => channels.length > 0)
      .map(({ workflow: { identifier, name, critical }, channels }) =>
        group(
          {
            name,
            workflowIdentifier: identifier,
            isCritical: critical,
            settings: channels,
          },
          texts,
          onChange,
        ),
      )}
    ${hasMore ? html`<p class="note"><button @click=${onMore}>${texts.more}</button></p>` : nothing}
  `
}

interface Group {
  readonly name: string
  readonly workflowIdentifier: string | null
  readonly isCritical: boolean
  readonly settings: readonly {
    readonly channel: ChannelName
    readonly enabled: boolean
  }[]
}

function group(
  { name, workflowIdentifier, isCritical, settings }: Group,
  texts: Texts,
  onChange: Change,
): TemplateResult {
  return html`
    <fieldset ?disabled=${isCritical}>
      <legend>${name}</legend>
      ${settings.map(
        ({ channel, enabled }) => html`
          <label>
            <input
              type="checkbox"
              .checked=${live(enabled)}
              @change=${(event: Event) => onChange(workflowIdentifier, channel, isChecked(event))}
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
