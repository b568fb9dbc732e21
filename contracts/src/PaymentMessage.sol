// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Reads the message by which an account authorises a payment
/// @notice A message reads `Send <CUR> <amount> to <destination> at <time>`, for example `Send EUR 10.50 to DE68... at 2026-11-20T17:03Z`.
/// The destination is any text: it binds the signature to one payment and is read off chain only.
/// @dev The same grammar as `parsePaymentMessage` in src/ledger/orders/payment-message.ts; a test compares the two on 100,000 texts.
library PaymentMessage {
    bytes26 private constant PREFIX = "\x19Ethereum Signed Message:\n";

    /// @dev Whole units have at most 15 digits after leading zeros, so minor units fit 64 bits.
    uint256 private constant MAX_UNITS = 1e15;

    /// @dev The length of `Send EUR 1 to x at 2026-11-20T17:03Z`.
    uint256 private constant SHORTEST = 36;

    uint256 private constant AMOUNT_AT = 9;

    bytes32 private constant SPACES = 0x2020202020202020202020202020202020202020202020202020202020202020;
    uint256 private constant LOW_BITS = 0x0101010101010101010101010101010101010101010101010101010101010101;
    uint256 private constant HIGH_BITS = LOW_BITS << 7;

    /// @dev A time of which every digit is zero, and what a byte may exceed it by before the sum reaches 16: 9 for digits, 0 for the rest.
    bytes32 private constant TIME_ZERO = "0000-00-00T00:00:00";
    uint256 private constant TIME_SLACK = 0x060606060f06060f06060f06060f06060f060600000000000000000000000000;
    uint256 private constant HIGH_NIBBLES = LOW_BITS * 0xf0;
    uint256 private constant MINUTE_PRECISION = 16;
    uint256 private constant SECOND_PRECISION = 19;

    /// @dev Days from 1 March of the year -400 to 1 January 1970, by the Gregorian calendar.
    uint256 private constant EPOCH_DAY = 865_565;

    /// @notice Reads currency, amount and time.
    /// @return wellFormed Whether the message has the form above. The other values mean nothing where it has not.
    /// @return currency The three letters.
    /// @return minorUnits The amount; one unit has 100.
    /// @return time Seconds since 1970, rounded down; negative before.
    function parse(bytes calldata message)
        internal
        pure
        returns (bool wellFormed, bytes3 currency, uint256 minorUnits, int256 time)
    {
        unchecked {
            bytes32 start = _word(message, 0);
            currency = bytes3(start << 40);
            wellFormed = message.length >= SHORTEST && bytes5(start) == "Send " && isCurrency(currency) && bytes1(start << 64) == " ";
            if (!wellFormed) return (false, currency, minorUnits, time);

            uint256 end;
            (wellFormed, minorUnits, end) = _amount(message);
            // At least one character stands between ` to ` and ` at `.
            uint256 timeAt = _afterLastSpace(message);
            wellFormed = wellFormed && bytes4(_word(message, end)) == " to " && end + 9 <= timeAt
                && bytes4(_word(message, timeAt - 4)) == " at ";
            if (wellFormed) (wellFormed, time) = _time(message[timeAt:]);
        }
    }

    /// @notice The EIP-191 hash of a message of less than 1,000 bytes, which its signature signs.
    /// @dev OpenZeppelin's, which knows all lengths, takes 1,000 gas more.
    function hash(bytes calldata message) internal pure returns (bytes32) {
        unchecked {
            uint256 length = message.length;
            bytes1 ones = bytes1(uint8(48 + length % 10));
            if (length < 10) return keccak256(abi.encodePacked(PREFIX, ones, message));
            bytes1 tens = bytes1(uint8(48 + length / 10 % 10));
            if (length < 100) return keccak256(abi.encodePacked(PREFIX, tens, ones, message));
            return keccak256(abi.encodePacked(PREFIX, bytes1(uint8(48 + length / 100)), tens, ones, message));
        }
    }

    /// @notice Whether a currency is written as ISO 4217 writes it.
    function isCurrency(bytes3 currency) internal pure returns (bool) {
        unchecked {
            // Each letter less `A`. A smaller character becomes more than 25.
            uint256 letters = uint24(currency);
            return (letters >> 16) - 65 < 26 && (letters >> 8 & 0xff) - 65 < 26 && (letters & 0xff) - 65 < 26;
        }
    }

    /// @dev Reads `\d+(\.\d{1,2})?`. `end` is the position of the character behind it.
    function _amount(bytes calldata message) private pure returns (bool wellFormed, uint256 minorUnits, uint256 end) {
        unchecked {
            uint256 units;
            uint256 digit;
            for (end = AMOUNT_AT; (digit = _digit(message, end)) <= 9; ++end) {
                units = units * 10 + digit;
                if (units >= MAX_UNITS) return (false, 0, end);
            }
            if (end == AMOUNT_AT) return (false, 0, end);
            minorUnits = units * 100;
            if (bytes1(_word(message, end)) != ".") return (true, minorUnits, end);

            digit = _digit(message, ++end);
            if (digit > 9) return (false, 0, end);
            minorUnits += digit * 10;
            digit = _digit(message, ++end);
            if (digit > 9) return (true, minorUnits, end);
            return (true, minorUnits + digit, end + 1);
        }
    }

    /// @dev The position behind the last space of a text that is known to have one. Looks at 32 characters at once: in `zeros` the lowest bit
    /// that is set stands for the last space among them.
    function _afterLastSpace(bytes calldata text) private pure returns (uint256) {
        unchecked {
            for (uint256 end = text.length;; end -= 32) {
                uint256 difference = uint256(_word(text, end - 32) ^ SPACES);
                uint256 zeros = (difference - LOW_BITS) & ~difference & HIGH_BITS;
                if (zeros != 0) return end - _trailingBytes(zeros & (0 - zeros));
            }
        }
    }

    /// @dev How many whole bytes stand below the only bit that is set.
    function _trailingBytes(uint256 bit) private pure returns (uint256 count) {
        unchecked {
            if (bit >> 128 != 0) (count, bit) = (16, bit >> 128);
            if (bit >> 64 != 0) (count, bit) = (count + 8, bit >> 64);
            if (bit >> 32 != 0) (count, bit) = (count + 4, bit >> 32);
            if (bit >> 16 != 0) (count, bit) = (count + 2, bit >> 16);
            if (bit >> 8 != 0) ++count;
        }
    }

    /// @dev Reads `YYYY-MM-DDTHH:MM[:SS[.f+]](Z|±HH:MM)`.
    function _time(bytes calldata text) private pure returns (bool wellFormed, int256 time) {
        unchecked {
            int256 offset;
            uint256 length;
            (wellFormed, offset, length) = _offset(text);
            if (!wellFormed || !_isFraction(text, length)) return (false, 0);

            bytes32 word = _word(text, 0);
            if (length == MINUTE_PRECISION) word = bytes32(bytes16(word)) | bytes32(bytes3(":00")) >> 128;
            uint256 digits = uint256((word ^ TIME_ZERO) >> 104 << 104);
            if ((digits | (digits + TIME_SLACK)) & HIGH_NIBBLES != 0) return (false, 0);

            // Each byte becomes the number of two digits that ends there.
            uint256 numbers = digits + (digits >> 8) * 10;
            uint256 day;
            (wellFormed, day) = _day(_byte(numbers, 1) * 100 + _byte(numbers, 3), _byte(numbers, 6), _byte(numbers, 9));
            uint256 hour = _byte(numbers, 12);
            uint256 minute = _byte(numbers, 15);
            uint256 second = _byte(numbers, 18);
            wellFormed = wellFormed && hour <= 23 && minute <= 59 && second <= 59;
            time = int256(day * 1 days + hour * 1 hours + minute * 1 minutes + second) - int256(EPOCH_DAY * 1 days) - offset;
        }
    }

    /// @dev Reads the zone at the end, `Z` or `±HH:MM`. `offset` in seconds; `length` is that of what stands before.
    function _offset(bytes calldata text) private pure returns (bool wellFormed, int256 offset, uint256 length) {
        unchecked {
            length = text.length;
            if (length < MINUTE_PRECISION + 1) return (false, 0, 0);
            if (bytes1(_word(text, length - 1)) == "Z") return (true, 0, length - 1);
            if (length < MINUTE_PRECISION + 6) return (false, 0, 0);
            length -= 6;
            bytes1 sign = bytes1(_word(text, length));
            uint256 hour = _twoDigits(text, length + 1);
            uint256 minute = _twoDigits(text, length + 4);
            wellFormed = (sign == "+" || sign == "-") && hour <= 23 && bytes1(_word(text, length + 3)) == ":" && minute <= 59;
            offset = int256(hour * 1 hours + minute * 1 minutes);
            if (sign == "-") offset = -offset;
        }
    }

    /// @dev Whether nothing, or a point and digits, stand between the seconds and `end`.
    function _isFraction(bytes calldata text, uint256 end) private pure returns (bool) {
        unchecked {
            if (end == MINUTE_PRECISION || end == SECOND_PRECISION) return true;
            if (end < SECOND_PRECISION + 2 || bytes1(_word(text, SECOND_PRECISION)) != ".") return false;
            for (uint256 i = SECOND_PRECISION + 1; i < end; ++i) {
                if (_digit(text, i) > 9) return false;
            }
            return true;
        }
    }

    /// @dev The number of a day, counted from 1 March of the year -400: a leap day is then the last of its year.
    function _day(uint256 year, uint256 month, uint256 day) private pure returns (bool exists, uint256 number) {
        unchecked {
            bool isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            // Months of 31 days are odd until July and even from August on.
            uint256 length = month == 2 ? (isLeap ? 29 : 28) : 30 + ((month ^ (month >> 3)) & 1);
            exists = month - 1 < 12 && day - 1 < length;
            (uint256 y, uint256 m) = month > 2 ? (year + 400, month - 3) : (year + 399, month + 9);
            number = y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1;
        }
    }

    /// @dev More than 99 where one of the characters is no digit.
    function _twoDigits(bytes calldata text, uint256 position) private pure returns (uint256) {
        unchecked {
            (uint256 tens, uint256 ones) = (_digit(text, position), _digit(text, position + 1));
            return tens <= 9 && ones <= 9 ? tens * 10 + ones : type(uint256).max;
        }
    }

    /// @dev More than 9 where the character is no digit.
    function _digit(bytes calldata text, uint256 position) private pure returns (uint256) {
        unchecked {
            return (uint256(_word(text, position)) >> 248) - 48;
        }
    }

    function _byte(uint256 word, uint256 index) private pure returns (uint256) {
        unchecked {
            return uint8(word >> 248 - 8 * index);
        }
    }

    /// @dev The 32 bytes at a position, whatever stands before or behind the text. The callers compare with its length.
    /// Assembly, because a slice checks its bounds: 290 gas instead of 36.
    function _word(bytes calldata text, uint256 position) private pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := calldataload(add(text.offset, position))
        }
    }
}
