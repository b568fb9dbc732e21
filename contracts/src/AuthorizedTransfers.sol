// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BlockableERC20} from "./BlockableERC20.sol";

/// @title Transfers by signed authorization (EIP-3009)
/// @notice The holder signs a transfer (EIP-712) and somebody else sends it. Each authorization has a random nonce and is good once, between two
/// times. A signature is 65 bytes of a key, or whatever the holder's ERC-1271 takes.
abstract contract AuthorizedTransfers is BlockableERC20 {
    /// @custom:storage-location erc7201:mintrail.storage.AuthorizedTransfers
    struct AuthorizedTransfersStorage {
        mapping(address authorizer => mapping(bytes32 nonce => bool)) used;
    }

    // keccak256(abi.encode(uint256(keccak256("mintrail.storage.AuthorizedTransfers")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE = 0x3d68bac3e5154e65d2ef1d54f2fbef07d37492e5b8389186b6f7415f88736e00;

    bytes32 private constant TRANSFER_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant RECEIVE_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant CANCEL_TYPEHASH = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    /// @notice The authorization was carried out.
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    /// @notice The authorization was taken back.
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    /// @notice The authorization is good after `validAfter` and before `validBefore`, in seconds since 1970.
    error AuthorizationNotValidNow(uint256 validAfter, uint256 validBefore);

    /// @notice The authorization was carried out or taken back.
    error AuthorizationAlreadyUsed(address authorizer, bytes32 nonce);

    /// @notice Only the payee carries out this authorization.
    error CallerNotPayee(address caller, address payee);

    /// @notice Whether an authorization was carried out or taken back.
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool) {
        return _authorizations().used[authorizer][nonce];
    }

    /// @notice Carries out a transfer that `from` authorized. Anyone may send it.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external {
        _transferAuthorized(TRANSFER_TYPEHASH, from, to, value, validAfter, validBefore, nonce, signature);
    }

    /// @notice As above, with the parts of a key's signature.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        _transferAuthorized(TRANSFER_TYPEHASH, from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    /// @notice Carries out a transfer that `from` authorized and that only the payee may send, such as a contract that does more with the tokens.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external {
        if (msg.sender != to) revert CallerNotPayee(msg.sender, to);
        _transferAuthorized(RECEIVE_TYPEHASH, from, to, value, validAfter, validBefore, nonce, signature);
    }

    /// @notice As above, with the parts of a key's signature.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        if (msg.sender != to) revert CallerNotPayee(msg.sender, to);
        _transferAuthorized(RECEIVE_TYPEHASH, from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    /// @notice Takes back an authorization that was not carried out. Works while paused and while blocked.
    function cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature) external {
        _cancelAuthorization(authorizer, nonce, signature);
    }

    /// @notice As above, with the parts of a key's signature.
    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        _cancelAuthorization(authorizer, nonce, abi.encodePacked(r, s, v));
    }

    function _transferAuthorized(
        bytes32 typehash,
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) private {
        if (block.timestamp <= validAfter || block.timestamp >= validBefore) revert AuthorizationNotValidNow(validAfter, validBefore);
        _useAuthorization(from, nonce, keccak256(abi.encode(typehash, from, to, value, validAfter, validBefore, nonce)), signature);
        emit AuthorizationUsed(from, nonce);
        _transfer(from, to, value);
    }

    function _cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature) private {
        _useAuthorization(authorizer, nonce, keccak256(abi.encode(CANCEL_TYPEHASH, authorizer, nonce)), signature);
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function _useAuthorization(address authorizer, bytes32 nonce, bytes32 structHash, bytes memory signature) private {
        mapping(bytes32 nonce => bool) storage used = _authorizations().used[authorizer];
        if (used[nonce]) revert AuthorizationAlreadyUsed(authorizer, nonce);
        _requireSignature(authorizer, structHash, signature);
        used[nonce] = true;
    }

    /// @dev Assembly, because Solidity has no other way to say where a struct lies (ERC-7201).
    function _authorizations() private pure returns (AuthorizedTransfersStorage storage $) {
        bytes32 slot = STORAGE;
        assembly ("memory-safe") {
            $.slot := slot
        }
    }
}
