// The causes of failed messages, which tell the set-up of the environment from the recipient and the provider.

/** Every cause, with its description. The codes are part of the API. */
export const failureCauses = {
  provider_not_implemented: 'Set-up: this gateway does not implement the provider.',
  credentials_invalid: 'Set-up: a setting of the integration is missing or invalid.',
  credentials_unreadable: 'Set-up: secrets cannot be decrypted.',
  credentials_rejected:
    'Set-up: the provider did not accept the credentials of the integration, or the token of the channel connection.',
  account_restricted:
    'Set-up: the provider does not let the account of the integration send, for example because its credit is used up or its sender is not verified.',
  destination_not_supported: 'Set-up: the provider does not deliver to destinations of this kind or type.',
  address_blocked: 'Set-up: the address of the provider or of the destination is one that the gateway may not call.',
  integration_unusable:
    'Set-up: the integration was deactivated after the message was created, or its conditions are no longer met.',
  connection_unusable: 'Set-up: the channel connection of the endpoint does not exist, or is not for the endpoint.',
  attachment_unavailable: 'Set-up: a file of the email no longer exists, or could not be fetched from its URL.',
  destination_gone: 'Recipient: the destination was deleted after the message was created.',
  suppressed:
    'Recipient: the address is suppressed, in the environment or by the provider. Nothing is sent to it until the suppression ends.',
  device_unregistered:
    'Recipient: the device is no longer registered for push notifications, for example because the app was removed. The gateway deletes its token.',
  rejected: 'Recipient: the provider rejected the message, usually because of its destination or content.',
  unavailable: 'Provider: it did not respond, or responded with a temporary error, at every attempt.',
  unconfirmed:
    'Provider: it received the request of the last attempt and did not respond. It may have accepted the message.',
  expired: 'Time: the message expired, because it was not sent within the `expiresAfter` of its step.',
  time_limit: 'Time: the time limit of the step ended before the message was sent.',
  interrupted: 'Gateway: it was interrupted at every attempt, or could not save the result.',
} as const satisfies Record<string, string>

export type FailureCause = keyof typeof failureCauses

export const isFailureCause = (code: string): code is FailureCause => Object.hasOwn(failureCauses, code)

export const failureCauseCodes = Object.keys(failureCauses).filter(isFailureCause)
