"""What a write does besides storing its record: tracked references, copied names, history, receipts."""
