// The 60 scenarios of a domain review: what product teams want to do, and the tests that do it.

/** A file under `test`, and the title of a test in it. */
type Proof = readonly [file: string, title: string]

export interface Scenario {
  readonly story: string
  readonly proofs: readonly Proof[]
  /** The part that does not work, because it needs a capability that the gateway does not have yet. */
  readonly needs?: string
}

const works = (story: string, ...proofs: readonly Proof[]): Scenario => ({ story, proofs })
const partly = (story: string, needs: string, ...proofs: readonly Proof[]): Scenario => ({ story, proofs, needs })
const later = (story: string, needs: string): Scenario => ({ story, proofs: [], needs })

const lifecycle = 'scenarios/lifecycle.test.ts'
const tenants = 'scenarios/tenants.test.ts'
const feed = 'scenarios/feed.test.ts'
const campaign = 'scenarios/captured-campaign.test.ts'
const consent = 'scenarios/consent.test.ts'
const webhooks = 'scenarios/webhooks.test.ts'
const preferences = 'delivery/preferences.test.ts'
const digest = 'delivery/digest.test.ts'
const secrets = 'delivery/secret-payload.test.ts'
const topics = 'delivery/topics.test.ts'
const expiry = 'delivery/expiry.test.ts'
const retries = 'delivery/retry-runs.test.ts'
const teams = 'delivery/providers/msteams.test.ts'
const time = 'quiet hours, send times, throttles and schedules'

/** The scenarios in the order of the review, by their number. */
export const scenarios: Readonly<Record<number, Scenario>> = {
  1: works('an onboarding series by email', [lifecycle, 'an onboarding series ends for a user who has become active']),
  2: works('a series that ends when the user converts', [
    'delivery/cancel-all.test.ts',
    'ends the series of one subscriber only',
  ]),
  3: works('an invoice with an attachment, cc and reply-to', [
    'scenarios/invoice.test.ts',
    'an invoice with a PDF goes to a customer, with the accountant in bcc and replies to support',
  ]),
  4: works('a digest of comments by thread', [digest, 'group triggers by the value of their key']),
  5: works(
    'a digest that names who commented',
    [digest, 'name the actor of each trigger'],
    [digest, 'count all triggers, but give templates the newest 100, in order of time'],
  ),
  6: works('at once or once a day, by choice of the user', [
    lifecycle,
    'comments arrive at once or once a day, as each user has chosen',
  ]),
  7: later('a digest at 9:00 local time', time),
  8: works('an incident with SMS as fallback', [expiry, 'lets an SMS go out at the limit while the pager answers 503']),
  9: works('an incident that is resolved', [
    'delivery/incident.test.ts',
    'one workflow resolves the incident that another one opened',
  ]),
  10: works(
    'a one-time code that nobody else reads',
    [secrets, 'is sent through every channel, and never shown'],
    [secrets, 'stays secret if providers echo it, and is sent by a retry'],
  ),
  11: works('a one-time code that must not arrive late', [expiry, 'is not attempted again, and its step says why']),
  12: later('a broadcast to everyone', 'broadcasts'),
  13: later('a segment by data', 'segments'),
  14: works('a topic whose subscriptions have conditions', [
    tenants,
    'of a topic, exactly the subscribers whose condition holds are reached',
  ]),
  15: works('a topic without the actor', [topics, 'skips excluded subscribers and the actor']),
  16: works(
    'the admins of one tenant',
    [topics, 'sends to subscriptions with exactly the contexts of the trigger'],
    ['trigger/event-status.test.ts', 'for a topic without a subscription under exactly its contexts is skipped'],
  ),
  17: partly('a brand for each tenant', 'layouts', [tenants, 'two tenants get their own brand from one workflow']),
  18: works(
    'a sender for each tenant',
    [tenants, 'each tenant sends its mail through its own account, and others through the common one'],
    [
      tenants,
      'each tenant writes from its own address through one account, and others from the address of the account',
    ],
  ),
  19: works('a Slack workspace for each tenant', [
    tenants,
    'a channel of the workspace of each tenant gets what concerns this tenant, with its token',
  ]),
  20: works(
    'a channel or user of Teams',
    [teams, 'goes to a channel as a new thread, with a token for the credentials of the bot'],
    [teams, 'goes to a user in the conversation with the bot, which is created if there is none'],
  ),
  21: works(
    'WhatsApp, SES, SNS, APNs, OneSignal',
    ['delivery/providers/whatsapp-business.test.ts', 'is a text'],
    ['delivery/providers/ses.test.ts', 'is a signed request'],
    ['delivery/providers/sns.test.ts', 'is a signed form'],
    ['delivery/providers/apns.test.ts', 'is a request over HTTP/2, with the payload beside the text'],
    ['delivery/providers/one-signal.test.ts', 'goes to a push subscription'],
  ),
  22: later('quiet hours by time zone', time),
  23: partly('a message at a given time', time, ['rest/unknown-fields.test.ts', 'and nothing is written']),
  24: works('cancelling what waits', [
    'delivery/cancel.test.ts',
    'while its run waits ends the run there, as the execution log shows',
  ]),
  25: later('moving a scheduled message', time),
  26: works('a change of a text while messages are delayed', [
    lifecycle,
    'a text that is changed during a delay applies to new events, and the delayed ones keep theirs',
  ]),
  27: works('stopping a wrong campaign', [
    'delivery/stop-workflow.test.ts',
    'one mutation deactivates a workflow and cancels what waits, and says how many',
  ]),
  28: works(
    'a retry of what failed by a broken template',
    [retries, 'after a mended template, with the current workflow, in the steps that failed only'],
    [retries, 'after an integration or an address was added, with the workflow of the event'],
    ['delivery/retry-all-runs.test.ts', 'are repeated once, however often the mutation is called, and add up to ten'],
  ),
  29: works(
    'a preference center',
    ['domain/workflow-preference.test.ts', 'the list has the channels that each workflow uses in its active steps'],
    ['domain/workflow-preference.test.ts', 'a browser session reads the same list, with the workflows'],
  ),
  30: works(
    'no marketing',
    ['public/unsubscribe.test.ts', 'as a form (RFC 8058, section 8.3) turns off the category of the workflow'],
    [consent, 'one click in a mail client stops the emails of the workflow, and no other channel'],
    [
      'suppression/inbound-text.test.ts',
      'of a family phone stops everyone with the number, and START restores everyone',
    ],
  ),
  31: works('everything off, for all tenants', [
    preferences,
    'are off under all contexts, and the reason says where the preference was made',
  ]),
  32: works(
    'critical messages despite preferences',
    [preferences, 'of a critical workflow is used regardless of preferences'],
    [
      'domain/workflow-preference.test.ts',
      'a preference for a critical workflow is stored, and a note says that it has no effect',
    ],
  ),
  33: partly('the language of each reader', 'translations', [
    lifecycle,
    'one text has the language and the local time of each reader',
  ]),
  34: works('the time zone of each reader', [lifecycle, 'one text has the language and the local time of each reader']),
  35: works(
    'read, seen and archived',
    ['domain/notification.test.ts', 'sets the time of the first mark, and implies the earlier states'],
    ['domain/notification.test.ts', 'can be undone one state at a time'],
  ),
  36: later('snooze, and the state of actions', 'snooze'),
  37: works(
    'unread counts by context, live',
    ['domain/notification-stream.test.ts', 'starts with the current counts and sends every change'],
    ['domain/notification.test.ts', 'counts unarchived notifications for exactly the given contexts'],
  ),
  38: partly('unread counts by tab', 'live counts by filter', [
    feed,
    'each tab of an inbox shows its number of unread notifications, by a tag',
  ]),
  39: works('buttons with links', [feed, 'an entry of the inbox has two buttons with links']),
  40: works(
    'own data in an entry of the inbox',
    ['delivery/feed-data.test.ts', 'is rendered at any depth, and always results in text'],
    ['delivery/feed-data.test.ts', 'are the payload of the notification, with their types, in the graph and at REST'],
  ),
  41: works(
    'an event that is triggered twice',
    ['delivery/trigger.test.ts', 'with a repeated transaction id delivers once, even concurrently'],
    [
      'trigger/event.test.ts',
      'with a repeated transaction id is a duplicate, in the payload of the graph, and returns the first event',
    ],
    [
      'rest/event.test.ts',
      'the response to a repeated transaction id warns that the trigger had no effect, also in a bulk',
    ],
    ['trigger/unprocessed-trigger.test.ts', 'leaves a trace that leads to the event and names the caller'],
  ),
  42: later('at most one message an hour', time),
  43: works(
    'no mail after a hard bounce',
    ['suppression/report-effects.test.ts', 'of a hard bounce stops the next message'],
    [
      'suppression/report-effects.test.ts',
      'of a complaint under a tenant silences messages under it only, and unsubscribes',
    ],
  ),
  44: works('no push to a dead device', [
    'delivery/unregistered-device.test.ts',
    'is tried once, and its token is gone',
  ]),
  45: works(
    'webhooks about outcomes',
    [
      'webhook/attempts.test.ts',
      'a receiver that is down for a day gets the message when it is back, with the same id',
    ],
    [webhooks, 'a receiver that lost an hour gets the messages of that hour again, with their ids'],
  ),
  46: works(
    'the signature of a webhook',
    [
      webhooks,
      'a secret is rotated while messages flow, and the public library accepts every request with either secret',
    ],
    ['delivery/providers/webhooks.test.ts', 'receives an HMAC signature of the raw body'],
  ),
  47: works(
    'a provider that is down, and the retry of all',
    ['delivery/retry.test.ts', 'fails after the last attempt, is listed as failed, and can be retried'],
    ['delivery/retry-all.test.ts', 'sends each failed message again once, however often the mutation is called'],
  ),
  48: works('a second provider of a channel', [
    'scenarios/provider-down.test.ts',
    'an incident whose first provider is down is sent by the second, and the log shows every attempt and why',
  ]),
  49: works(
    'an environment that sends nothing',
    [campaign, 'a capture of a whole campaign: every message can be read, and none has left'],
    [campaign, 'a redirect to the tester: every email arrives at the tester, and none anywhere else'],
  ),
  50: works('a test message', ['domain/test-message.test.ts', 'reaches the provider, and its answer is the result']),
  51: partly('a workflow from development to production', 'drafts and promotion', [
    lifecycle,
    'a workflow moves from development to production as REST returns it',
  ]),
  52: partly('two editors of a workflow', 'versions to restore', [
    'domain/version.test.ts',
    'rejects a change and a deletion that are based on an older one, and names both',
  ]),
  53: works(
    'a schema of the payload, with defaults',
    [
      'delivery/trigger.test.ts',
      'that does not match returns 400 in REST with every invalid field, and writes nothing',
    ],
    ['trigger/payload-default.test.ts', 'is part of the stored payload, and conditions and templates read it'],
  ),
  54: works(
    'misspelled variables',
    ['domain/workflow-check.test.ts', 'is a warning with its position and the variable that was probably meant'],
    ['domain/workflow-check.test.ts', 'is found in the payload by its schema, if that allows no other properties'],
  ),
  55: works('escalation of what stays unread', [
    lifecycle,
    'an unread notification is escalated by email after an hour, and a read one is not',
  ]),
  56: works('a recipient known by email address only', [
    lifecycle,
    'a recipient of whom only the email address is known is reached, with the address as subscriberId',
  ]),
  57: works(
    'a hundred triggers in one request',
    ['delivery/trigger.test.ts', 'delivers each of 100 events in a bulk'],
    ['delivery/worker/job-batch.test.ts', 'each event has its own payload, contexts, actor and recipients'],
  ),
  58: works('an endpoint without context, and a trigger with one', [
    tenants,
    'a number that is registered without context serves triggers without context; others need their own',
  ]),
  59: works(
    'the export and the erasure of a person',
    [
      'housekeeping/erasure.test.ts',
      'is one document with everything about the subscriber, without secrets and without data of others',
    ],
    ['housekeeping/erasure.test.ts', 'a dump of all tables does not name the person afterwards'],
    [consent, 'an auditor reads what a person agreed to, in each way and when, until the person is erased'],
  ),
  60: works(
    'statistics of one tenant',
    ['execution/context-statistics.test.ts', 'each tenant has its own numbers, and the total has all'],
    ['execution/context-statistics.test.ts', 'the health of one tenant has its failures only'],
  ),
}
