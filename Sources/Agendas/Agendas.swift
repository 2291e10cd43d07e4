// Agendas
