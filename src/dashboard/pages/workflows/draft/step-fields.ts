// The fields of a stored step that the editor and the log of an event show.
import { graphql } from '../../../graph/graphql.ts'

export const stepFields = graphql(`
  fragment StepFields on WorkflowStep @_unmask {
    type
    stepId
    name
    active
    condition
    ... on InAppStep {
      subject
      body
      avatar
      url
      target
      data
      payloadFields
      expiresAfter {
        amount
        unit
      }
      actions {
        label
        url
        target
      }
    }
    ... on EmailStep {
      integrationIdentifier
      subject
      body
      preheader
      textBody
      from
      senderName
      replyTo
      cc
      bcc
      headers {
        name
        value
      }
      threadKey
      attachments
      expiresAfter {
        amount
        unit
      }
      timeLimit {
        amount
        unit
      }
    }
    ... on SmsStep {
      integrationIdentifier
      body
      expiresAfter {
        amount
        unit
      }
      timeLimit {
        amount
        unit
      }
    }
    ... on ChatStep {
      integrationIdentifier
      body
      expiresAfter {
        amount
        unit
      }
      timeLimit {
        amount
        unit
      }
    }
    ... on PushStep {
      integrationIdentifier
      subject
      body
      expiresAfter {
        amount
        unit
      }
      timeLimit {
        amount
        unit
      }
    }
    ... on ToolStep {
      integrationIdentifier
      incidentKey
      incidentAction
      subject
      body
      expiresAfter {
        amount
        unit
      }
      timeLimit {
        amount
        unit
      }
    }
    ... on DelayStep {
      amount
      unit
      extendToSchedule
    }
    ... on DigestStep {
      amount
      unit
      extendToSchedule
      key
    }
  }
`)
