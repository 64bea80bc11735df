package result

// Message is one turn of the conversation that a prompt begins.
type Message struct {
	Role    Role
	Content Content // one block of any kind
}

// User is a message of the user with a text.
func User(text string) Message { return Message{RoleUser, Text{Text: text}} }

// Assistant is a message of the assistant with a text.
func Assistant(text string) Message { return Message{RoleAssistant, Text{Text: text}} }
