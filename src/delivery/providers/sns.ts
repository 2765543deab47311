// Amazon SNS: text messages by the action Publish.
import { awsAccount, awsSigner, classifyAws } from '../provider-kit/aws.ts'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { optional, plain } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import type { FailureClass } from '../provider-kit/failure-class.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = awsAccount.extend({
  from: optional(
    plain('From', 'The sender ID, where the country of the recipient allows one. Absent for the one of the account.'),
  ),
})

const classes: Readonly<Record<string, FailureClass | undefined>> = {
  KMSThrottling: 'unavailable',
  AuthorizationError: 'account',
  InvalidSecurity: 'credentials',
  // The recipient has replied with STOP.
  OptedOut: 'suppressed',
}

/** The form of message attributes, each of which is a string. */
function attributes(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const present = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
  return Object.fromEntries(
    present.flatMap(({ name, value }, index) => {
      const entry = `MessageAttributes.entry.${index + 1}`
      return [
        [`${entry}.Name`, name],
        [`${entry}.Value.DataType`, 'String'],
        [`${entry}.Value.StringValue`, value],
      ]
    }),
  )
}

export const sns = createProvider({
  settings,
  target: phoneTarget,
  send({ settings: { from, baseUrl, ...account }, to, message, outbound }) {
    return exchange(message, outbound, {
      url: `${baseUrl ?? `https://sns.${account.region}.amazonaws.com`}/`,
      body: new URLSearchParams({
        Action: 'Publish',
        Version: '2010-03-31',
        PhoneNumber: to,
        Message: textContent(message),
        ...attributes({ 'AWS.SNS.SMS.SMSType': 'Transactional', 'AWS.SNS.SMS.SenderID': from }),
      }),
      sign: awsSigner(account, 'sns'),
      classify: (answer) => classifyAws(answer, classes),
    })
  },
})
