// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What a holder's payment message promises
/// @notice A message starts `Send <CUR> <amount> to `, for example `Send EUR 10.50 to DE68...`. What follows names the destination and the
/// time; it binds the holder's signature to one payment and is read off chain only.
library PaymentMessage {
    /// @dev The largest number of whole units whose value, with 99 cents, still fits 256 bits at 18 decimals.
    uint256 private constant MAX_UNITS = (type(uint256).max - 0.99e18) / 1e18;

    bytes5 private constant SEND = "Send ";
    bytes4 private constant TO = " to ";

    /// @notice Reads currency and amount.
    /// @return wellFormed Whether the message has the form above: three upper-case letters, then digits with at most two decimals.
    /// An amount too large for 256 bits is not well-formed.
    /// @return currency The three letters.
    /// @return amount The amount with 18 decimals.
    function parse(bytes calldata message) internal pure returns (bool wellFormed, bytes3 currency, uint256 amount) {
        if (message.length < 9 || bytes5(message[:5]) != SEND || message[8] != " ") return (false, 0, 0);
        currency = bytes3(message[5:8]);
        if (!isCurrency(currency)) return (false, 0, 0);

        uint256 end;
        (wellFormed, amount, end) = _decimal(message, 9);
        if (!wellFormed || message.length < end + 4 || bytes4(message[end:end + 4]) != TO) return (false, 0, 0);
    }

    /// @notice Whether a currency is written as ISO 4217 writes it.
    function isCurrency(bytes3 currency) internal pure returns (bool) {
        for (uint256 i = 0; i < 3; ++i) {
            if (currency[i] < "A" || currency[i] > "Z") return false;
        }
        return true;
    }

    /// @dev Reads `\d+(\.\d{1,2})?` from `start`; `end` is the position of the first character after it.
    function _decimal(bytes calldata text, uint256 start) private pure returns (bool found, uint256 amount, uint256 end) {
        uint256 units;
        for (end = start; end < text.length && _isDigit(text[end]); ++end) {
            uint256 digit = uint8(text[end]) - 48;
            if (units > (MAX_UNITS - digit) / 10) return (false, 0, end);
            units = units * 10 + digit;
        }
        if (end == start) return (false, 0, end);

        uint256 fraction;
        if (end < text.length && text[end] == ".") {
            uint256 point = end++;
            for (uint256 value = 0.1e18; end < text.length && _isDigit(text[end]); value /= 10) {
                if (end > point + 2) return (false, 0, end);
                fraction += (uint8(text[end++]) - 48) * value;
            }
            if (end == point + 1) return (false, 0, end);
        }
        return (true, units * 1e18 + fraction, end);
    }

    function _isDigit(bytes1 character) private pure returns (bool) {
        return character >= "0" && character <= "9";
    }
}
