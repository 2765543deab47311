// A text message that a person sent to a number of an integration, as its provider reports it.

/** What a text message asks for. */
export type TextKeyword = 'stop' | 'start' | 'help'

export interface InboundText {
  /** The provider's id of the message, by which a repeated report has no effect. */
  readonly key: string
  /** The number of the person, in E.164 format. */
  readonly from: string
  /** The number or the name of the sender that the person wrote to. */
  readonly to: string
  readonly text: string
  /** The keyword that the provider has answered itself. Undefined if it has answered nothing. */
  readonly optOutType?: TextKeyword | undefined
}
