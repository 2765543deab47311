// The look of the lists in the panel: the notifications and the preferences.
import { css } from 'lit'

export const listStyles = css`
  ul {
    list-style: none;
    margin: 0;
    padding: 0;
  }

  li.notification {
    display: flex;
    gap: 8px;
    padding: 10px 12px;
    border-bottom: 1px solid var(--border);
  }

  li.unread {
    border-inline-start: 3px solid var(--accent);
    padding-inline-start: 9px;
  }

  .text {
    flex: 1;
    min-width: 0;
    overflow-wrap: anywhere;
  }

  .text .open {
    display: block;
    width: 100%;
    padding: 0;
    text-align: start;
  }

  .unread .subject,
  .unread .body:first-child {
    font-weight: 600;
  }

  .body {
    white-space: pre-line;
  }

  time,
  .muted {
    color: var(--muted);
    font-size: 0.9em;
  }

  .avatar {
    width: 32px;
    height: 32px;
    flex: none;
    border-radius: 50%;
    object-fit: cover;
    background: var(--hover);
    line-height: 32px;
    text-align: center;
    font-size: 12px;
    font-weight: 600;
  }

  .actions a {
    display: inline-block;
    margin: 4px 0 0;
    margin-inline-end: 8px;
    color: var(--link);
    text-decoration-color: var(--accent);
    text-decoration-thickness: 2px;
  }

  .choices {
    display: flex;
    flex-wrap: wrap;
    gap: 4px;
    margin-top: 4px;
  }

  .choices button {
    border: 1px solid var(--border);
  }

  .tools {
    display: flex;
    flex-direction: column;
  }

  .note {
    padding: 24px 12px;
    text-align: center;
    color: var(--muted);
  }

  .note button {
    color: var(--color);
    border: 1px solid var(--border);
  }

  fieldset {
    margin: 0;
    padding: 8px 12px;
    border: 0;
    border-bottom: 1px solid var(--border);
  }

  legend {
    float: inline-start;
    width: 100%;
    padding: 0;
    font-weight: 600;
  }

  label {
    display: inline-flex;
    align-items: center;
    gap: 4px;
    margin: 4px 12px 0 0;
  }

  input {
    accent-color: var(--accent);
  }
`
