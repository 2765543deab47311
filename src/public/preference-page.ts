// The preference page of a subscriber. The form says what was shown, so that only what a person has changed is saved.
import { html } from 'hono/html'
import { Channel } from '../data/prisma/enums.ts'
import { longId, shortId } from '../domain/channel/short-id.ts'
import {
  type PreferenceGroup,
  preferencePage,
  type PreferencePage,
  savePreferencePage,
  type ShownChannel,
} from '../domain/link/preference-page.ts'
import { Refusal } from '../lib/errors.ts'
import type { Answered, LinkRequest } from './link-request.ts'
import type { Texts } from './language/texts.ts'
import type { Html, ShownPage } from './page/page.ts'

/** How the fields of the form begin, before a short id: those of categories and those of workflows. */
type FieldKind = 'c' | 'w'

/** The letters of channels in the values of fields. */
const letters = {
  in_app: 'i',
  email: 'e',
  sms: 's',
  chat: 'c',
  push: 'p',
  tool: 't',
} as const satisfies Record<Channel, string>

const lettersOf = (channels: readonly ShownChannel[]) => channels.map(({ channel }) => letters[channel]).join('')

/** The field of a category or a workflow: what is shown, and a checkbox for each channel. */
function fields(kind: FieldKind, id: string, name: Html, channels: readonly ShownChannel[], texts: Texts): Html {
  const field = `${kind}.${shortId(id)}`
  const shown = `${lettersOf(channels)}:${lettersOf(channels.filter(({ enabled }) => enabled))}`
  return html`<fieldset>
    <legend>${name}</legend>
    <input type="hidden" name="${field}" value="${shown}" />
    <div class="choices">
      ${channels.map(
        ({ channel, enabled }) =>
          html`<label
            ><input
              type="checkbox"
              role="switch"
              name="${field}"
              value="${letters[channel]}"
              ${enabled ? 'checked' : ''}
            />${texts.channels[channel]}</label
          > `,
      )}
    </div>
  </fieldset>`
}

function workflowRows({ workflows }: PreferenceGroup, texts: Texts): Html[] {
  return workflows.map(({ workflow: { id, name, critical }, channels }) =>
    critical
      ? html`<div class="row">
          <fieldset>
            <legend>${name}</legend>
            <span class="badge">${texts.always.title}</span>
          </fieldset>
          <p class="dimmed small">${texts.always.text}</p>
        </div>`
      : html`<div class="row">${fields('w', id, html`${name}`, channels, texts)}</div>`,
  )
}

/** True if a workflow differs from its category, so that its own choices should be visible. */
const isMixed = ({ channels, workflows }: PreferenceGroup) =>
  workflows.some(
    ({ workflow, channels: own }) =>
      !workflow.critical &&
      own.some(({ channel, enabled }) => channels.find((one) => one.channel === channel)?.enabled !== enabled),
  )

function section(group: PreferenceGroup, texts: Texts, isOnly: boolean): Html {
  const { category, channels, workflows } = group
  const rows = workflowRows(group, texts)
  if (category === null) {
    return html`<section>${isOnly ? '' : html`<h2>${texts.others}</h2>`} ${rows}</section>`
  }
  const description = category.description === null ? '' : html`<p class="dimmed small">${category.description}</p>`
  const heading = html`<h2>${category.name}</h2>`
  if (channels.length === 0) {
    return html`<section>${heading} ${description} ${rows}</section>`
  }
  // With one workflow, both would be the same.
  const isListed = workflows.length > 1
  return html`<section>
    ${fields('c', category.id, heading, channels, texts)} ${description}
    ${
      isListed
        ? html`<details ${isMixed(group) ? 'open' : ''}>
            <summary>${texts.single}<span class="hidden">: ${category.name}</span></summary>
            <div>${rows}</div>
          </details>`
        : ''
    }
  </section>`
}

function pageOf({ groups, isOn }: PreferencePage, texts: Texts, isSaved: boolean): ShownPage {
  const { preferences, nothing, save, saved, turnOff, turnOn, isOff } = texts
  const choices = html`<form method="post">
    ${groups.map((group) => section(group, texts, groups.length === 1))}
    <div class="actions">
      <button name="action" value="save">${save}</button>
      <button class="plain" name="action" value="${isOn ? 'off' : 'on'}">${isOn ? turnOff : turnOn}</button>
    </div>
  </form>`
  return {
    title: preferences.title,
    isShort: false,
    content: html`<h1>${preferences.title}</h1>
      <p class="dimmed">${preferences.text}</p>
      <div role="status">${isSaved ? html`<p class="note">${saved}</p>` : ''}</div>
      ${isOn ? '' : html`<p class="note">${isOff}</p>`} ${groups.length === 0 ? html`<p>${nothing}</p>` : choices}`,
  }
}

interface ChangedRow {
  readonly id: string
  readonly channels: Partial<Record<Channel, boolean>>
}

/** Reads what was changed in the rows of a kind. */
function changedRows(form: URLSearchParams, kind: FieldKind): ChangedRow[] {
  const names = [...new Set(form.keys())].filter((name) => name.startsWith(`${kind}.`))
  return names.flatMap((name): ChangedRow[] => {
    const id = longId(name.slice(2))
    const values = form.getAll(name)
    const [shown = '', before = ''] = values.find((value) => value.includes(':'))?.split(':') ?? []
    const changed = Object.values(Channel).flatMap((channel): [Channel, boolean][] => {
      const letter = letters[channel]
      const isOn = values.includes(letter)
      return shown.includes(letter) && before.includes(letter) !== isOn ? [[channel, isOn]] : []
    })
    return changed.length === 0 ? [] : [{ id, channels: Object.fromEntries(changed) }]
  })
}

/** What the button says about everything. */
const everythingBy = new Map([
  ['off', false],
  ['on', true],
])

/** @throws Refusal `MALFORMED` for a form without an action. */
export async function answerPreferences({ link, scope, form }: LinkRequest): Promise<Answered> {
  if (form === undefined) {
    const shown = await preferencePage(scope, {})
    return { reader: shown.reader, page: (texts) => pageOf(shown, texts, false) }
  }
  const action = form.get('action') ?? ''
  const everything = everythingBy.get(action)
  if (everything === undefined && action !== 'save') throw new Refusal('MALFORMED', 'The form asks for nothing')
  const isSave = everything === undefined
  const saved = await savePreferencePage(scope, {
    everything,
    categories: isSave ? changedRows(form, 'c') : [],
    workflows: isSave ? changedRows(form, 'w') : [],
    deliveryId: link.deliveryId,
  })
  return { reader: saved.reader, page: (texts) => pageOf(saved, texts, true) }
}
